// The timeline: every trial is a mark, in rounds of one skill.

import { h } from "../dom.js";
import { mark } from "../marks.js";
import { MEANING, OUTCOME } from "../words.js";
import { openTrial } from "./trial.js";

export function timeline(data, operator) {
  const rounds = [];
  for (const trial of data.marks) {
    if (rounds.at(-1)?.skill === trial.skill) rounds.at(-1).trials.push(trial);
    else rounds.push({ skill: trial.skill, trials: [trial] });
  }
  const present = Object.keys(OUTCOME).filter((outcome) =>
    data.marks.some((trial) => trial.outcome === outcome),
  );
  const last = data.marks.at(-1)?.id;
  return h(
    "section",
    { class: "block", "aria-labelledby": "timeline-title" },
    h("h2", { id: "timeline-title" }, "Timeline"),
    rounds.length === 0 && h("p", { class: "empty" }, "No trial yet."),
    h(
      "p",
      { class: "legend small" },
      present.map((outcome) =>
        h("span", { title: MEANING[outcome] }, mark(outcome), OUTCOME[outcome].toLowerCase()),
      ),
      data.open > 0 && h("span", {}, mark(null), "open"),
    ),
    data.earlier > 0 && h("p", { class: "small" }, `${data.earlier} earlier trials are not shown.`),
    h(
      "div",
      {
        class: "timeline",
        role: "group",
        "aria-label": "Trials; arrow keys move between them",
        "data-arrows": true,
        onkeydown: rove,
      },
      rounds.map((round) =>
        h(
          "div",
          { class: "round", key: round.trials[0].id },
          h("span", { class: "round-skill" }, round.skill),
          h(
            "span",
            { class: "round-trials" },
            round.trials.map((trial) => {
              const words = `Trial ${trial.id}, ${round.skill}: ${trial.outcome ?? "open"}${trial.corrected_from ? `, corrected from ${trial.corrected_from}` : ""}${trial.refunded ? ", refunded" : ""}`;
              const extra = `${trial.corrected_from ? " corrected" : ""}${trial.kind !== "practice" ? " test" : ""}`;
              return h(
                "button",
                {
                  key: trial.id,
                  type: "button",
                  class: `trial${extra}`,
                  title: words,
                  "aria-label": words,
                  tabindex: trial.id === last ? 0 : -1,
                  onclick: () => openTrial(trial, operator),
                },
                mark(trial.outcome),
              );
            }),
          ),
        ),
      ),
    ),
  );
}

function rove(event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  const trials = [...event.currentTarget.querySelectorAll("button")];
  const at = trials.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  trials[Math.max(0, Math.min(trials.length - 1, at + steps[event.key]))].focus();
}
