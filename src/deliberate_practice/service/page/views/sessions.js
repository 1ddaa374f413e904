// The list of all sessions, live.

import { get } from "../api.js";
import { h } from "../dom.js";
import { follow } from "../stream.js";
import { throttled } from "../throttle.js";
import { ACTIVITY, listed, units } from "../words.js";

const ORDER = ["waits-for-ready", "practising", "paused", "waits-for-robot", "done"];

export function openSessions({ me, draw, connect }) {
  let rows = null;
  let faults = [];

  const load = throttled(async () => {
    const data = await get("/api/sessions");
    rows = data.sessions
      .reverse()
      .sort((a, b) => ORDER.indexOf(a.activity) - ORDER.indexOf(b.activity));
    faults = data.faults;
    render();
  });

  function render() {
    draw(
      h(
        "div",
        { class: "head" },
        h("h1", {}, "Sessions"),
        me.role === "admin" &&
          h("a", { class: "button primary", href: "#/new" }, "Start a session"),
      ),
      faults.map((fault) => h("p", { class: "fault" }, fault)),
      rows.length
        ? h("ul", { class: "sessions" }, rows.map(card))
        : h("p", { class: "empty" }, "There is no session yet."),
    );
  }

  const stream = follow("/api/events", null, {
    onEvent: load,
    onState(state) {
      connect(state);
      if (state === "live" || state === "crowded") load();
    },
  });
  return {
    close() {
      stream.close();
      load.cancel();
    },
  };
}

function card(row) {
  const share = row.budget ? row.spent / row.budget : 1;
  const state = row.state === "ended" ? "Ended" : ACTIVITY[row.activity];
  return h(
    "li",
    { key: row.name, class: `card ${row.activity}` },
    h(
      "a",
      { class: "card-link", href: `#/sessions/${encodeURIComponent(row.name)}` },
      h("span", { class: `state ${row.activity}` }, state),
      h("span", { class: "card-name" }, row.name),
      h(
        "span",
        { class: "card-what" },
        row.practises.length ? listed(row.practises) : "nothing practised yet",
        h("span", { class: "small" }, row.goal ? ` for ${row.goal}` : " (no goal in reach yet)"),
      ),
      h(
        "span",
        { class: "card-budget" },
        h("span", { class: "number" }, units(row.left, row.until)),
        ` of ${units(row.budget, row.until)} left`,
        h(
          "span",
          { class: "meter", "aria-hidden": "true" },
          h("span", { style: { width: `${100 * share}%` } }),
        ),
      ),
      h("span", { class: "card-parts small" }, `${row.task} · ${row.strategy}`),
    ),
  );
}
