// A stream of the journal's events that goes on after every interruption, and misses none.
// EventSource cannot send a token, so the stream is read from a request.

import { headers, invalid } from "./api.js";

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 4_000;
const SILENT_MS = 40_000; // the service sends something every 15 s

// Follow a stream. `onEvent` gets each event, `onState` one of "live", "lost", "crowded" (too many
// streams are open), "gone". A token that is not valid (any more) signs the page out.
// A hidden page rests: browsers allow few open connections.
export function follow(path, last, { onEvent, onState }) {
  let stopped = false;
  let reading = null;
  let wait = FIRST_WAIT_MS;
  let wake = () => {};

  async function run() {
    while (!stopped) {
      if (document.hidden) {
        await woken();
        continue;
      }
      const end = await read();
      if (stopped) return;
      if (end === "invalid") return invalid();
      if (end === "gone") return onState(end);
      if (end === "hidden") continue;
      onState(end);
      await Promise.race([woken(), pause(wait)]);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  async function read() {
    reading = new AbortController();
    let silence = setTimeout(() => reading.abort("silent"), SILENT_MS);
    try {
      const answer = await fetch(path, {
        headers: headers(last === null ? {} : { "Last-Event-ID": String(last) }),
        signal: reading.signal,
        cache: "no-store",
      });
      if (answer.status === 401) return "invalid";
      if (answer.status === 403 || answer.status === 404) return "gone";
      if (answer.status === 429) return "crowded";
      if (!answer.ok) return "lost";
      wait = FIRST_WAIT_MS;
      onState("live");
      for await (const message of messages(answer.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => reading.abort("silent"), SILENT_MS);
        if (message.id !== null) last = message.id;
        if (message.data) onEvent(JSON.parse(message.data));
      }
      return "lost";
    } catch {
      return reading.signal.reason === "hidden" ? "hidden" : "lost";
    } finally {
      clearTimeout(silence);
    }
  }

  function woken() {
    return new Promise((resolve) => (wake = resolve));
  }

  function onVisibility() {
    if (document.hidden) reading?.abort("hidden");
    else wake();
  }

  document.addEventListener("visibilitychange", onVisibility);
  run();
  return {
    close() {
      stopped = true;
      document.removeEventListener("visibilitychange", onVisibility);
      reading?.abort("closed");
      wake();
    },
  };
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    yield* parts.map(parsed);
  }
}

// One message of a stream: its identifier, if it has one, and its data; comments have neither.
export function parsed(text) {
  const message = { id: null, data: "" };
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) message.id = line.slice(4);
    if (line.startsWith("data: ")) message.data += line.slice(6);
  }
  return message;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
