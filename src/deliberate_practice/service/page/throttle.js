// Work that many causes ask for, but that is done at most once in a while.

import { Refused } from "./api.js";

const REST_MS = 500;

// A function that begins `work` at once, and again after a rest if it was called meanwhile.
// The stream tells people about a service that does not answer, and asks again when it is back.
export function throttled(work, rest = REST_MS) {
  let busy = false;
  let again = false;
  let stopped = false;

  async function run() {
    if (stopped) return;
    if (busy) {
      again = true;
      return;
    }
    [busy, again] = [true, false];
    try {
      await work();
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) console.error(error);
      if (error instanceof Refused && error.status >= 429) again = true;
    }
    await new Promise((resolve) => setTimeout(resolve, rest));
    busy = false;
    if (again) run();
  }

  run.cancel = () => (stopped = true);
  return run;
}
