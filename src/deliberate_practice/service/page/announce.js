// The voice of the page for screen readers: trials and labels, but never a stream of them.

import { count, listed } from "./words.js";

const GATHER_MS = 1_500;
const MOST = 2;

let waiting = [];
let timer = null;

// Say something soon, together with other news.
export function announce(text, outcome = null) {
  waiting.push({ text, outcome });
  timer ??= setTimeout(say, GATHER_MS);
}

// Say something at once, because it needs attention.
export function alarm(text) {
  document.getElementById("alert").textContent = text;
}

function say() {
  const news = waiting;
  [waiting, timer] = [[], null];
  const told = news.filter((one) => one.outcome);
  const rest = news.filter((one) => !one.outcome).slice(-1);
  const texts = told.length > MOST ? [summary(told)] : told.map((one) => one.text);
  document.getElementById("status").textContent = [...texts, ...rest.map((one) => one.text)].join(
    ". ",
  );
}

function summary(told) {
  const counts = new Map();
  for (const { outcome } of told) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const parts = [...counts].map(([outcome, number]) => `${number} ${outcome}`);
  return `${count(told.length, "trial")}: ${listed(parts)}`;
}
