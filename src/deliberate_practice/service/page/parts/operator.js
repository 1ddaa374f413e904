// The operator's panel: set the scene, say Ready, label; or take a label back.

import { question } from "../dialog.js";
import { h } from "../dom.js";
import { mark } from "../marks.js";
import { kept } from "../outbox.js";
import { decimal, OUTCOME } from "../words.js";
import { sessionVerbs } from "./people.js";

export function operatorPanel(operator, data) {
  const step = operator.step();
  const { kind, trial } = step;
  const show = { correct, scene, label, wait, none }[kind];
  const waiting = data.open_trials.filter((one) => one.waits_for_ready && one.id !== trial?.id);
  return h(
    "section",
    {
      class: `panel ${kind}`,
      id: "operator",
      tabindex: "-1",
      "aria-labelledby": "operator-title",
      "data-armed": operator.armed ? "yes" : "no",
    },
    show(operator, trial, data, step.own),
    operator.isAdmin &&
      waiting.length > 0 &&
      h(
        "p",
        { class: "small" },
        `Trials that wait for Ready besides: ${waiting.map((one) => one.id).join(", ")}.`,
      ),
    operator.fault && h("p", { class: "fault" }, operator.fault),
    outbox(),
    sessionVerbs(data, operator),
    settings(operator),
  );
}

function correct(operator, trial) {
  return [
    head(`Taking back trial ${trial.id}`, "Which label is right?"),
    h("p", {}, `${trial.skill} was labelled `, mark(trial.outcome), ` ${trial.outcome}.`),
    labels(operator, trial.approach),
    h(
      "button",
      {
        type: "button",
        class: "wide",
        onclick: () => operator.takeBack(null),
        disabled: !operator.armed,
      },
      "Leave it as it is",
      keyHint(operator, "←"),
    ),
  ];
}

function scene(operator, trial, data, own) {
  return [
    head(`Trial ${trial.id} · ${trial.skill} · ${holder(trial, own)}`, "Set the scene"),
    setting(trial),
    own && parameters(trial, data),
    h(
      "button",
      {
        type: "button",
        class: "primary huge",
        id: "ready",
        onclick: () => operator.ready(trial),
        disabled: !operator.armed,
      },
      "Ready",
      keyHint(operator, "Space"),
    ),
    h(
      "p",
      { class: "small" },
      own ? "Ready says that the scene is set. " : "Ready lets the robot begin. ",
      "It stops no robot: keep your robot's own stop within reach.",
    ),
  ];
}

function label(operator, trial, data, own) {
  const last = operator.isAdmin && operator.lastLabel();
  return [
    head(`Trial ${trial.id} · ${trial.skill} · ${holder(trial, own)}`, "How did it go?"),
    own && parameters(trial, data),
    labels(
      operator,
      trial.approach.route.map((step) => step.skill),
    ),
    !own && [
      h("p", { class: "small" }, "The robot's program may label it too; the first label counts."),
      h(
        "button",
        { type: "button", class: "wide", key: "leave", onclick: () => operator.select(null) },
        "Leave it to the robot",
      ),
    ],
    last && takeBack(operator, last),
  ];
}

function wait(operator, trial) {
  return [
    head(`Trial ${trial.id}`, "It waits for Ready"),
    setting(trial),
    h("p", {}, "An admin has to say Ready."),
  ];
}

function none(operator, trial, data) {
  const last = operator.isAdmin && operator.lastLabel();
  const over = data.activity === "done" || data.activity === "paused";
  const waits = data.open_trials.length ? "Robots are at work. " : "";
  return [
    head(
      "For the operator",
      over
        ? data.activity === "paused"
          ? "No trials while paused"
          : "Nothing left to do"
        : "Practise by hand",
    ),
    !over &&
      h(
        "p",
        {},
        `${waits}If you run the robot yourself, ask for a trial. You get your own; robots keep theirs.`,
      ),
    operator.idle && h("p", { class: "note-line" }, `No trial: ${operator.idle}.`),
    !over &&
      h(
        "button",
        {
          type: "button",
          class: "wide",
          id: "ask",
          onclick: () => operator.ask(),
          disabled: !operator.armed,
        },
        "Ask for a trial",
        keyHint(operator, "n"),
      ),
    last && takeBack(operator, last),
  ];
}

function head(over, title) {
  return h(
    "div",
    {},
    h("p", { class: "over" }, over),
    h("h2", { id: "operator-title", tabindex: "-1" }, title),
  );
}

function holder(trial, own) {
  return own ? "by hand" : (trial.robot ?? "a program");
}

function setting(trial) {
  const begins = trial.setting.text.split(". ").slice(1).join(". ");
  return [
    h(
      "dl",
      { class: "setting" },
      Object.entries(trial.setting.holds).map(([name, values]) =>
        h("div", { key: name }, h("dt", {}, name), h("dd", {}, values.join(" or "))),
      ),
    ),
    h("p", {}, begins),
  ];
}

function parameters(trial, data) {
  const units = data.units[trial.policy] ?? {};
  const rows = Object.entries(trial.parameters);
  if (!rows.length) return null;
  return h(
    "details",
    { class: "parameters", key: "parameters", open: true },
    h("summary", {}, `Parameters of ${trial.skill}`),
    h(
      "dl",
      {},
      rows.map(([name, value]) =>
        h(
          "div",
          {},
          h("dt", {}, name),
          h("dd", {}, `${Number(value.toPrecision(4))} ${units[name] ?? ""}`),
        ),
      ),
    ),
  );
}

function labels(operator, route) {
  const button = (outcome, hint, size) =>
    h(
      "button",
      {
        type: "button",
        class: `label ${outcome} ${size}`,
        "data-outcome": outcome,
        onclick: () => operator.label(outcome),
        disabled: !operator.armed,
      },
      mark(outcome),
      h("span", {}, OUTCOME[outcome]),
      hint && keyHint(operator, hint),
    );
  return h(
    "div",
    { class: "labels", role: "group", "aria-label": "Label" },
    button("success", "s", "huge"),
    button("failure", "f", "huge"),
    button("assisted", "a", ""),
    button("aborted", "Esc", ""),
    h(
      "details",
      { class: "more", key: "more" },
      h("summary", {}, "It never came to the attempt"),
      h(
        "div",
        { class: "chips" },
        route.map((skill) =>
          h(
            "button",
            {
              type: "button",
              onclick: () => operator.label("unreached", skill),
              disabled: !operator.armed,
            },
            mark("unreached"),
            `Failed at ${skill}`,
          ),
        ),
        h(
          "button",
          { type: "button", onclick: () => operator.label("refused"), disabled: !operator.armed },
          mark("refused"),
          "Cannot be executed, nothing moved",
        ),
      ),
    ),
  );
}

function takeBack(operator, last) {
  return h(
    "button",
    {
      type: "button",
      class: "wide",
      id: "take-back",
      onclick: () => operator.takeBack(last),
      disabled: !operator.armed,
    },
    `Take back trial ${last.id}: ${last.outcome}`,
    keyHint(operator, "←"),
  );
}

function keyHint(operator, key) {
  return operator.keys && h("kbd", {}, key);
}

function outbox() {
  const items = kept();
  if (!items.length) return null;
  return h(
    "p",
    { class: "note-line" },
    `Not sent yet, kept in this browser: ${items.map((item) => item.words).join("; ")}.`,
  );
}

function settings(operator) {
  const toggle = (text, on, set) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "checkbox", checked: on, onchange: (event) => set(event.target.checked) }),
      text,
    );
  return h(
    "details",
    { class: "settings", key: "settings" },
    h(
      "summary",
      {},
      `${operator.person}, keys ${operator.keys ? "on" : "off"}`,
      operator.keys &&
        !operator.engaged &&
        h("span", { class: "keys-hint" }, " once you have clicked here"),
    ),
    toggle(
      "Keys and foot pedal: s success, f failure, a assisted, Esc aborted, Space Ready, n next trial, ← takes back",
      operator.keys,
      (on) => (operator.keys = on),
    ),
    toggle(
      "Ask for the next trial after each of my labels",
      operator.asksNext,
      (on) => (operator.asksNext = on),
    ),
    h(
      "button",
      {
        type: "button",
        onclick: () =>
          question({
            title: "Your name",
            label: "It stands beside your labels",
            button: "Use it",
            required: true,
            value: operator.person,
            act: async (name) => (operator.person = name),
          }),
      },
      "Change my name",
    ),
  );
}
