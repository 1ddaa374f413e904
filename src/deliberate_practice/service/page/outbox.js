// Labels, corrections and notes that the service may not have yet: they are kept in the browser and
// sent again until they are answered, in order. Each is done once. Ready is never kept: a robot must
// not move because of a word that is no longer true.

import { newKey, post, Unreachable } from "./api.js";

const PLACE = "deliberate-outbox";
const AGAIN_MS = 1_500;

let listener = () => {};
let sending = null;

// `work` is called whenever something was kept, sent or refused.
export function onOutbox(work) {
  listener = work;
}

export function kept() {
  return JSON.parse(localStorage.getItem(PLACE) ?? "[]");
}

// Send a request, now or as soon as the service has answered those before it; then the answer is
// null. It replaces what was kept for the same path: the last word on a trial counts.
// Raises Refused if the service refuses it at once.
export async function send(path, body, words) {
  const item = { key: newKey(), path, body, words };
  const before = kept().filter((other) => other.path !== path);
  keep([...before, item]);
  if (sending || before.length) {
    listener();
    drain();
    return null;
  }
  try {
    const answer = await post(path, body, item.key);
    remove(item);
    return answer;
  } catch (error) {
    if (!isLater(error)) {
      remove(item);
      throw error;
    }
    listener();
    drain();
    return null;
  }
}

// Send whatever is kept, also by an earlier visit.
export function drain() {
  sending ??= again().finally(() => (sending = null));
}

async function again() {
  for (let item = kept()[0]; item; item = kept()[0]) {
    try {
      await post(item.path, item.body, item.key);
      remove(item);
      listener();
    } catch (error) {
      if (error.status === 401 || error.status === 403) return; // until a token comes that may
      if (isLater(error)) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      } else {
        remove(item);
        listener(`${item.words}: ${error.message}`);
      }
    }
  }
}

function isLater(error) {
  return error instanceof Unreachable || error.status === 429 || error.status === 503;
}

function keep(items) {
  localStorage.setItem(PLACE, JSON.stringify(items));
}

function remove(item) {
  keep(kept().filter((other) => other.key !== item.key));
}
