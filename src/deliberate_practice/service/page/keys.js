// The operator's keys. A foot pedal is a keyboard: any key of it can be one of these.
// They act once somebody has turned to the panel or has a trial at hand: whoever only watches may
// press Space to scroll, and no robot moves because of it.

const LABELS = { s: "success", f: "failure", a: "assisted", Escape: "aborted" };
const TYPING = "input, textarea, select, [contenteditable]";
const PRESSED_BY_SPACE = "button, a, summary";

// Listen until the function that is returned is called.
export function listen(operator) {
  function onKey(event) {
    if (!operator.keys || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    if (!operator.engaged && !event.target.closest?.("#operator")) return;
    if (act(event)) event.preventDefault();
  }

  function act(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const { kind } = operator.step();
    if (key === " ") {
      if (kind !== "scene" || event.target.closest?.(PRESSED_BY_SPACE)) return false;
      if (operator.armed) operator.ready();
      return true;
    }
    if (key === "ArrowLeft") {
      if (event.target.closest?.("[data-arrows]") || !operator.isAdmin) return false;
      if (operator.armed) operator.takeBack();
      return true;
    }
    if (key === "n" && kind === "none") {
      if (operator.armed) operator.ask();
      return true;
    }
    if (!(key in LABELS) || (kind !== "label" && kind !== "correct")) return false;
    if (operator.armed) operator.label(LABELS[key]);
    return true;
  }

  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
