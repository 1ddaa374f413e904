// Requests to the service, with the token.

const PLACE = "deliberate-token";
const ANSWER_MS = 30_000;

let onInvalid = () => {};

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The service does not answer.");
  }
}

export const token = {
  get: () => localStorage.getItem(PLACE),
  set: (text) => localStorage.setItem(PLACE, text),
  forget: () => localStorage.removeItem(PLACE),
};

// What happens when the service does not know the token (any more).
export function whenInvalid(work) {
  onInvalid = work;
}

export const invalid = () => onInvalid();

export const get = (path) => call("GET", path);
export const post = (path, body = {}, key = null) => call("POST", path, body, key);

export function sessionPath(name, rest = "") {
  return `/api/sessions/${encodeURIComponent(name)}${rest}`;
}

// A key with which a repeated request is done once.
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((b) => b.toString(16).padStart(2, "0"))
    .join("");
}

export function headers(more = {}) {
  return { Authorization: `Bearer ${token.get()}`, ...more };
}

async function call(method, path, body, key) {
  let answer, data;
  try {
    answer = await fetch(path, {
      method,
      headers: headers({
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...(key ? { "Idempotency-Key": key } : {}),
      }),
      body: body ? JSON.stringify(body) : undefined,
      signal: AbortSignal.timeout(ANSWER_MS),
      cache: "no-store",
    });
    data = await answer.json();
  } catch {
    throw new Unreachable();
  }
  if (answer.ok) return data;
  if (answer.status === 401) invalid();
  throw new Refused(data.error ?? `status ${answer.status}`, answer.status);
}
