// Robots, notes, and the verbs on the whole session.

import { newKey, post, sessionPath } from "../api.js";
import { question } from "../dialog.js";
import { h } from "../dom.js";
import { ago, count } from "../words.js";

export function robots(data, operator) {
  const programs = data.open_trials.filter((trial) => !trial.robot);
  return h(
    "section",
    { class: "block", "aria-labelledby": "robots-title" },
    h("h2", { id: "robots-title" }, "Robots"),
    !data.robots.length &&
      !programs.length &&
      h("p", { class: "empty" }, "No robot has asked yet."),
    h(
      "ul",
      { class: "robots" },
      data.robots.map((robot) => robotRow(robot, data, operator)),
      programs.map((trial) =>
        h(
          "li",
          { key: trial.id },
          h("span", { class: "robot-name" }, "a program on the lab's computer"),
          openTrial(trial, operator),
        ),
      ),
    ),
  );
}

function robotRow(robot, data, operator) {
  const open = data.open_trials.filter((trial) => robot.open.includes(trial.id));
  const attempts = (robot.outcomes.success ?? 0) + (robot.outcomes.failure ?? 0);
  return h(
    "li",
    { key: robot.name },
    h("span", { class: "robot-name" }, robot.name),
    h(
      "span",
      { class: "robot-rate" },
      robot.success_rate === null
        ? "no attempt yet"
        : [
            h("strong", {}, `${Math.round(100 * robot.success_rate)} %`),
            ` of ${count(attempts, "attempt")}`,
          ],
    ),
    open.length
      ? open.map((trial) => openTrial(trial, operator))
      : h(
          "span",
          { class: "small robot-open" },
          robot.last_seen ? `no open trial, seen ${ago(robot.last_seen)}` : "no open trial",
        ),
  );
}

function openTrial(trial, operator) {
  const mine = operator.step().trial?.id === trial.id;
  return h(
    "span",
    { class: "robot-open", key: trial.id },
    h(
      "span",
      {},
      `trial ${trial.id}: ${trial.skill}${trial.waits_for_ready ? ", waits for Ready" : ""}`,
    ),
    !mine &&
      operator.isAdmin &&
      trial.waits_for_ready &&
      h(
        "button",
        { class: "quiet", type: "button", onclick: () => operator.select(trial) },
        "Set its scene",
      ),
    !mine &&
      operator.practises &&
      !trial.waits_for_ready &&
      trial.robot !== operator.robot &&
      h(
        "button",
        { class: "quiet", type: "button", onclick: () => operator.select(trial) },
        "Label it here",
      ),
  );
}

export function notes(data, operator) {
  const write = () => {
    const key = newKey();
    question({
      title: "Note on the session",
      label: "Note",
      button: "Write it",
      type: "area",
      required: true,
      act: (text) =>
        post(sessionPath(operator.session, "/note"), { text, by: operator.person }, key).then(
          operator.reload,
        ),
    });
  };
  return h(
    "section",
    { class: "block", "aria-labelledby": "notes-title" },
    h("h2", { id: "notes-title" }, "Notes"),
    !data.remarks.length && h("p", { class: "empty" }, "No note yet."),
    h(
      "ul",
      { class: "notes", tabindex: data.remarks.length > 0 && 0, "aria-labelledby": "notes-title" },
      data.remarks
        .toReversed()
        .map((note) =>
          h(
            "li",
            {},
            h("span", { class: "note-text" }, note.text),
            h(
              "span",
              { class: "small" },
              [note.trial && `trial ${note.trial}`, note.by].filter(Boolean).join(", "),
            ),
          ),
        ),
    ),
    operator.practises && h("button", { type: "button", onclick: write }, "Write a note"),
  );
}

export function sessionVerbs(data, operator) {
  if (!operator.isAdmin) return null;
  const ask = (title, text, verb, button) => () =>
    question({
      title,
      text,
      label: "Why (may be empty)",
      button,
      act: (why) => operator.operate(verb, { why }),
    });
  const key = newKey();
  const extend = () =>
    question({
      title: "More budget",
      label: data.until ? "Seconds to add" : "Units to add",
      button: "Add them",
      type: "number",
      required: true,
      act: (units) =>
        post(sessionPath(operator.session, "/extend"), { budget: Number(units) }, key).then(
          operator.reload,
        ),
    });
  const active = data.state === "active";
  const goesOn = active && data.activity !== "done";
  return h(
    "div",
    { class: "verbs", role: "group", "aria-label": "Session" },
    goesOn &&
      h(
        "button",
        {
          type: "button",
          id: "pause",
          onclick: ask(
            "Pause the session",
            "Robots get no further trial until you resume. Pausing stops no robot that moves.",
            "pause",
            "Pause",
          ),
        },
        "Pause",
      ),
    !active &&
      h(
        "button",
        {
          type: "button",
          id: "resume",
          class: "primary",
          onclick: () => operator.attempt("resume"),
        },
        "Resume",
      ),
    h("button", { type: "button", onclick: extend }, "More budget"),
    goesOn &&
      h(
        "button",
        {
          type: "button",
          id: "end",
          onclick: ask(
            "End the session",
            "Its robots are told that they are done. Resume takes this back.",
            "end",
            "End it",
          ),
        },
        "End",
      ),
  );
}

export function choices(data) {
  const rows = {
    Strategy: data.strategy,
    Belief: data.belief,
    Learner: data.learner,
    Approach: data.approach,
    "Waits for Ready": { never: "never", abort: "after an abort", always: "always" }[data.gate],
    Seed: data.seed,
  };
  return h(
    "section",
    { class: "block", "aria-labelledby": "choices-title" },
    h("h2", { id: "choices-title" }, "Started with"),
    h(
      "dl",
      { class: "rows" },
      Object.entries(rows).map(([name, value]) =>
        h("div", {}, h("dt", {}, name), h("dd", {}, value)),
      ),
    ),
  );
}
