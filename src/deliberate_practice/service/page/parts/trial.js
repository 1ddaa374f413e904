// One trial in a dialog: all that was told about it, and the verbs that fit it.

import { get, newKey, post, sessionPath } from "../api.js";
import { openDialog, question } from "../dialog.js";
import { h } from "../dom.js";
import { mark } from "../marks.js";
import { clock, decimal, sentence } from "../words.js";

export async function openTrial(trial, operator) {
  try {
    const [page, why] = await Promise.all([
      get(sessionPath(operator.session, `/trials?after=${trial.id - 1}&limit=1`)),
      get(sessionPath(operator.session, `/trials/${trial.id}/why`)),
    ]);
    showTrial(page.trials[0], why.reason, trial, operator);
  } catch (error) {
    openDialog(`Trial ${trial.id}`, () => h("p", { class: "fault" }, error.message));
  }
}

function showTrial(told, why, trial, operator) {
  openDialog(`Trial ${told.id}: ${told.skill}`, (close) => [
    h(
      "p",
      { class: "trial-outcome" },
      mark(told.outcome),
      told.outcome ?? "open",
      told.corrected_from && ` (corrected from ${told.corrected_from})`,
      told.refunded && " (refunded)",
    ),
    h("p", { class: "small" }, sentence(why)),
    h(
      "dl",
      { class: "rows" },
      row("Kind", `${told.kind}, ${told.mode}`),
      row("Robot", trial.robot),
      row("Labelled by", told.by),
      row("Failed at", told.at),
      row("Approach", told.approach.join(" → ")),
      row("Asked", told.asked && clock(told.asked)),
      row("Told", told.told && clock(told.told)),
      row("Score", told.score === null ? null : decimal(told.score)),
      Object.entries(told.parameters).map(([name, value]) =>
        row(name, Number(value.toPrecision(4))),
      ),
      Object.entries(told.measurements).map(([name, value]) =>
        row(name, Number(value.toPrecision(4))),
      ),
      (told.notes ?? []).map((text) => row("Note", text)),
    ),
    actions(told, trial, operator, close),
  ]);
}

function row(name, value) {
  return value && h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

function actions(told, trial, operator, close) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  async function attempt(work) {
    try {
      await work();
      close();
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  }
  const path = sessionPath(operator.session, `/trials/${told.id}`);
  const key = newKey();
  const refund = () =>
    attempt(() => post(`${path}/refund`, { by: operator.person }, key).then(operator.reload));
  const correct = () => {
    close();
    operator.takeBack({ ...trial, outcome: told.outcome });
    document.getElementById("operator")?.scrollIntoView({ block: "nearest" });
    document.getElementById("operator-title")?.focus();
  };
  const note = () => {
    close();
    question({
      title: `Note on trial ${told.id}`,
      label: "Note",
      button: "Write it",
      type: "area",
      required: true,
      act: (text) => post(`${path}/note`, { text, by: operator.person }, key).then(operator.reload),
    });
  };
  return [
    fault,
    h(
      "div",
      { class: "row" },
      operator.isAdmin &&
        told.outcome &&
        h("button", { type: "button", onclick: correct }, "Correct the label"),
      operator.isAdmin &&
        told.outcome === "aborted" &&
        told.counted &&
        !told.refunded &&
        h("button", { type: "button", onclick: refund }, "Refund its cost"),
      operator.practises && h("button", { type: "button", onclick: note }, "Write a note"),
    ),
  ];
}
