// Numbers, times and states in words.

export const ACTIVITY = {
  practising: "Practising now",
  "waits-for-ready": "Waits for Ready",
  "waits-for-robot": "Waits for a robot",
  paused: "Paused",
  done: "Done",
};

export const OUTCOME = {
  success: "Success",
  failure: "Failure",
  unreached: "Unreached",
  aborted: "Aborted",
  assisted: "Assisted",
  refused: "Refused",
};

export const MEANING = {
  success: "the attempt reached its effect",
  failure: "the attempt did not reach its effect",
  unreached: "the approach failed before the attempt",
  aborted: "a fault or a safety stop ended it",
  assisted: "a person helped",
  refused: "the parameters cannot be executed, and nothing moved",
};

// A competence or a reward: two digits behind the point, more if it is small.
export function decimal(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  return size > 0 && size < 0.01 ? value.toPrecision(1) : value.toFixed(2);
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

// Budget units in words: those of a budget in time are seconds.
export function units(number, timed) {
  return timed ? duration(number) : String(number);
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
}

export function clock(text) {
  return new Date(text).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function ago(text) {
  const seconds = (Date.now() - new Date(text).getTime()) / 1000;
  return seconds < 10 ? "just now" : `${duration(seconds)} ago`;
}

// The reason of a trial as a sentence, without the skill's name in front, which stands above it.
export function sentence(reason) {
  const text = reason.replace(/^practising [^:]*: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
