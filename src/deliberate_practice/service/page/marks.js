// The marks of outcomes: each has a shape and a colour of its own, those of all charts.

import { svg } from "./dom.js";
import { MARKERS } from "./looks.js";

const SHAPES = {
  circle: "M8 2.6 a5.4 5.4 0 1 1 -0.01 0 Z",
  square: "M3.4 3.4 H12.6 V12.6 H3.4 Z",
  diamond: "M8 1.6 L14.4 8 L8 14.4 L1.6 8 Z",
  "triangle-down": "M1.8 3.2 H14.2 L8 14 Z",
  "triangle-up": "M1.8 12.8 H14.2 L8 2 Z",
  x: "M3.6 3.6 L12.4 12.4 M12.4 3.6 L3.6 12.4",
  cross: "M8 2.4 V13.6 M2.4 8 H13.6",
};
const LINES = new Set(["x", "cross"]);

// The mark of an outcome; of an open trial if it is null.
export function mark(outcome) {
  const shape = outcome ? MARKERS[outcome] : "circle";
  const kind = !outcome ? "open" : LINES.has(shape) ? "lined" : "solid";
  return svg(
    "svg",
    {
      class: `mark ${outcome ?? "open"} ${kind}`,
      viewBox: "0 0 16 16",
      width: 16,
      height: 16,
      "aria-hidden": "true",
    },
    svg("path", { d: SHAPES[shape] }),
  );
}
