// The operator's side of a session: which trial is at hand, the next step, and the verbs.

import { alarm, announce } from "./announce.js";
import { post, sessionPath } from "./api.js";
import { kept, send } from "./outbox.js";
import { OUTCOME } from "./words.js";

const PERSON = "deliberate-person";
const NEXT = "deliberate-ask-next";
const KEYS = "deliberate-keys";
const SETTLE_MS = 400; // a second press of a key or a pedal is not meant for the next step

export class Operator {
  constructor(me, session, changed, reload) {
    Object.assign(this, { me, session, changed, reload });
    this.isAdmin = me.role === "admin";
    this.practises = me.role !== "read-only";
    this.data = null;
    this.selected = null; // a robot's trial that the operator labels here
    this.correcting = null; // a told trial whose label is taken back
    this.readied = new Set(); // own trials that this page has called ready
    this.busy = false;
    this.fault = null;
    this.idle = null; // why there was no trial
    this.unsettled = null;
    this.lastStep = "";
  }

  get person() {
    return localStorage.getItem(PERSON) || this.me.name;
  }

  set person(name) {
    localStorage.setItem(PERSON, name.trim());
    this.changed();
  }

  // The name under which this person asks for trials; no robot has it.
  get robot() {
    return `${this.person} by hand`;
  }

  get asksNext() {
    return sessionStorage.getItem(NEXT) === "yes";
  }

  set asksNext(on) {
    sessionStorage.setItem(NEXT, on ? "yes" : "no");
    this.changed();
  }

  get keys() {
    return localStorage.getItem(KEYS) !== "off";
  }

  set keys(on) {
    localStorage.setItem(KEYS, on ? "on" : "off");
    this.changed();
  }

  // New data of the session: forget what is over.
  see(data) {
    this.data = data;
    const open = new Set(data.open_trials.map((trial) => trial.id));
    if (this.selected && !open.has(this.selected)) this.selected = null;
    const step = this.step();
    const name = `${step.kind} ${step.trial?.id ?? ""}`;
    if (name !== this.lastStep) this.settle(name);
  }

  settle(name) {
    this.lastStep = name;
    clearTimeout(this.unsettled);
    this.unsettled = setTimeout(() => {
      this.unsettled = null;
      this.changed();
    }, SETTLE_MS);
  }

  get armed() {
    return !this.busy && !this.unsettled;
  }

  // The next step: { kind: "correct" | "scene" | "label" | "wait" | "none", trial }.
  step() {
    if (this.correcting) return { kind: "correct", trial: this.correcting };
    const sending = new Set(kept().map((item) => item.path));
    const trials = (this.data?.open_trials ?? []).filter(
      (one) => !sending.has(this.path(one, "tell")),
    );
    const trial =
      trials.find((one) => one.id === this.selected) ??
      trials.find((one) => one.robot === this.robot) ??
      (this.isAdmin && trials.find((one) => one.waits_for_ready));
    if (!trial) return { kind: "none", trial: null };
    const own = trial.robot === this.robot;
    if (trial.waits_for_ready) return { kind: this.isAdmin ? "scene" : "wait", trial, own };
    const set = trial.ready || this.readied.has(trial.id);
    return { kind: own && !set ? "scene" : "label", trial, own };
  }

  // Whether the operator has a trial at hand that nobody else cares for.
  get engaged() {
    const { kind, trial, own } = this.step();
    return kind === "correct" || own || (trial !== null && trial.id === this.selected);
  }

  // The trial that the operator labelled last.
  lastLabel() {
    const own = this.data?.marks.filter((one) => one.by === this.person && one.told) ?? [];
    return own.sort((a, b) => a.told.localeCompare(b.told)).at(-1) ?? null;
  }

  async ask() {
    if (!this.practises || this.step().kind !== "none") return;
    await this.work(async () => {
      const answer = await post(sessionPath(this.session, "/ask"), { robot: this.robot });
      this.idle = answer.id === null && answer.trial === null ? answer.reason : null;
      if (this.idle) announce(this.idle);
    });
  }

  async ready(trial = this.step().trial) {
    if (!trial) return;
    await this.work(async () => {
      if (this.isAdmin) await post(this.path(trial, "ready"), { by: this.person });
      this.readied.add(trial.id);
      announce(`Ready: trial ${trial.id}, ${trial.skill}`);
    });
  }

  async label(outcome, at = null) {
    const { kind, trial } = this.step();
    if (kind === "correct") return this.correct(outcome, at);
    if (kind !== "label") return;
    await this.work(async () => {
      const words = `Trial ${trial.id}: ${outcome}`;
      const sent = await send(
        this.path(trial, "tell"),
        { outcome, at, by: this.person, seed: trial.seed },
        words,
      );
      announce(sent ? `${words}, recorded` : `${words}, kept until the service answers`);
      this.data.open_trials = this.data.open_trials.filter((one) => one.id !== trial.id);
    });
    if (this.asksNext && !this.fault) await this.ask();
  }

  // Take the last label back: the next label corrects it. Once more leaves it as it is.
  takeBack(mark = this.correcting ? null : this.lastLabel()) {
    if (!this.isAdmin) return;
    if (!this.correcting && !mark) return;
    this.correcting = mark;
    this.fault = null;
    announce(
      mark
        ? `Taking back trial ${mark.id}, ${mark.outcome}. Give the right label`
        : "The label stays",
    );
    this.see(this.data);
    this.changed();
  }

  async correct(outcome, at) {
    const mark = this.correcting;
    await this.work(async () => {
      const sent = await send(
        this.path(mark, "correct"),
        { outcome, at, by: this.person },
        `Trial ${mark.id}: ${outcome}`,
      );
      const words = `Trial ${mark.id} is corrected to ${OUTCOME[outcome].toLowerCase()}`;
      announce(sent ? words : `${words}, kept until the service answers`);
      this.correcting = null;
    });
  }

  // Turn to a robot's trial, or to none.
  select(trial) {
    this.selected = trial?.id ?? null;
    this.correcting = null;
    this.refocus = true;
    this.see(this.data);
    this.changed();
  }

  // A verb of a button without a dialog: the panel shows its error.
  async attempt(verb, body) {
    await this.work(() => this.operate(verb, body));
  }

  // A verb on the session; errors are the caller's.
  async operate(verb, body = {}) {
    await post(sessionPath(this.session, `/${verb}`), { by: this.person, ...body });
    await this.reload();
  }

  path(trial, verb) {
    return sessionPath(this.session, `/trials/${trial.id}/${verb}`);
  }

  async work(verb) {
    if (this.busy) return;
    [this.busy, this.fault] = [true, null];
    this.changed();
    try {
      await verb();
      await this.reload().catch(() => {}); // the stream asks again
    } catch (error) {
      this.fault = error.message;
      alarm(error.message);
    }
    this.busy = false;
    this.refocus = true;
    this.see(this.data);
    this.changed();
  }

  close() {
    clearTimeout(this.unsettled);
  }
}
