// A session, live: a snapshot of everything, and again whenever its journal has grown.

import { announce } from "../announce.js";
import { get, sessionPath } from "../api.js";
import { h } from "../dom.js";
import { listen } from "../keys.js";
import { Operator } from "../operating.js";
import { onOutbox } from "../outbox.js";
import { frontier, horizon } from "../parts/frontier.js";
import { hero } from "../parts/hero.js";
import { operatorPanel } from "../parts/operator.js";
import { choices, notes, robots } from "../parts/people.js";
import { skills, spending } from "../parts/skills.js";
import { timeline } from "../parts/timeline.js";
import { follow } from "../stream.js";
import { throttled } from "../throttle.js";

const FRONTIER_MS = 4_000;

export function openSession({ me, draw, connect }, name) {
  let data = null;
  let found = null;
  let stream = null;
  let closed = false;
  const skillOf = new Map();

  const operator = new Operator(me, name, render, load);
  const silence = operator.practises ? listen(operator) : () => {};
  const refresh = throttled(load);
  const refreshFrontier = throttled(loadFrontier, FRONTIER_MS);
  onOutbox((fault) => {
    if (fault) operator.fault = fault;
    refresh();
  });
  begin();

  async function begin() {
    try {
      await load();
    } catch (error) {
      if (closed) return;
      if (error.status === 404 || error.status === 403) return missing(error.message);
      connect("lost");
      return setTimeout(() => closed || begin(), 1_500);
    }
    if (closed) return;
    stream = follow(sessionPath(name, "/events"), data.events, { onEvent, onState });
  }

  async function load() {
    const fresh = await get(sessionPath(name, "/overview"));
    if (closed || (data && fresh.events < data.events)) return;
    const moved =
      !data || fresh.settled !== data.settled || fresh.budget !== data.budget || fresh.events === 0;
    data = fresh;
    operator.see(data);
    render();
    if (moved) refreshFrontier();
  }

  async function loadFrontier() {
    try {
      found = await get(sessionPath(name, `/frontier?budget=${horizon(data.left)}`));
    } catch (error) {
      if (!error.status) throw error;
      found = { fault: `The frontier cannot be computed: ${error.message}` };
    }
    render();
  }

  function onEvent(event) {
    const { kind, data: told } = event;
    if (kind === "ask") {
      skillOf.set(told.trial.id, told.trial.attempt.skill);
      announce(`Trial ${told.trial.id}: ${told.trial.attempt.skill}`);
    }
    if (kind === "tell") {
      const { outcome } = told.result;
      announce(`Trial ${told.trial}, ${skillOf.get(told.trial) ?? ""}: ${outcome}`, outcome);
    }
    if (kind === "pause") announce("The session is paused");
    if (kind === "resume") announce("The session goes on");
    if (kind === "end") announce("The session was ended");
    refresh();
  }

  function onState(state) {
    connect(state);
    if (state === "live" || state === "crowded") refresh();
    if (state === "gone") missing(`There is no session ${name} any more.`);
  }

  function missing(message) {
    close(); // an answer that comes later no longer draws the session
    draw(
      h(
        "section",
        { class: "narrow" },
        h("h1", {}, name),
        h("p", { class: "fault" }, message),
        !me.session && h("a", { class: "button", href: "#/" }, "All sessions"),
      ),
    );
  }

  function render() {
    if (closed || !data) return;
    draw(
      h(
        "div",
        { class: "session" },
        h("div", { class: "lead" }, hero(data, !me.session)),
        aside(),
        h(
          "div",
          { class: "charts" },
          frontier(found, data),
          skills(data, operator),
          timeline(data, operator),
          spending(data),
        ),
      ),
    );
    if (operator.refocus) {
      operator.refocus = false;
      const inside =
        document.activeElement === document.body || document.activeElement?.closest("#operator");
      if (inside) document.getElementById("operator-title")?.focus({ preventScroll: true });
    }
  }

  function aside() {
    return h(
      "div",
      { class: "side" },
      operator.practises && operatorPanel(operator, data),
      robots(data, operator),
      notes(data, operator),
      choices(data),
    );
  }

  function close() {
    closed = true;
    stream?.close();
    refresh.cancel();
    refreshFrontier.cancel();
    operator.close();
    silence();
    onOutbox(() => {});
  }

  return { close };
}
