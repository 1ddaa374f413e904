// The frontier: the best expected reward for every further budget, and where the session stands.

import { h, svg } from "../dom.js";
import { decimal, units } from "../words.js";

const HEIGHT = 280;
const TOP = 44;
const BOTTOM = 40;
const LEFT = 40;
const RIGHT = 24;
const LABEL_WIDTH = 8; // of a character, for labels that must not overlap

export function frontier(found, data) {
  return h(
    "section",
    { class: "block", "aria-labelledby": "frontier-title" },
    h("h2", { id: "frontier-title" }, "What the budget buys"),
    !found && h("p", { class: "empty" }, "The frontier is being computed."),
    found?.fault && h("p", { class: "empty" }, found.fault),
    found?.values && [
      h("p", { class: "small" }, caption(found, data)),
      h("div", { class: "chart", draw: (width) => chart(found, data, width) }),
    ],
  );
}

// Budgets further than what is left, so that the chart shows what more would buy.
export function horizon(left) {
  return Math.min(2000, Math.max(20, Math.ceil(left * 1.4)));
}

function caption(found, data) {
  const last = found.budgets.at(-1);
  const amount = (number) => units(number, data.until);
  if (data.left > last) {
    return `Expected reward after the next ${amount(last)} of practice, with free approaches; ${amount(data.left)} are left.`;
  }
  const more = found.values.at(-1) - found.values[Math.min(data.left, found.values.length - 1)];
  const extra = amount(last - data.left);
  const end = more > 0.005 ? `, and ${extra} more would add ${decimal(more)}` : "";
  return data.left
    ? `Expected reward after further practice, with free approaches. Now it is ${decimal(found.values[0])}${end}.`
    : `The budget is spent. ${extra} more would ${more > 0.005 ? `add ${decimal(more)}` : "add hardly anything"}.`;
}

function chart(found, data, width) {
  const { forecast, left } = data;
  const last = found.budgets.at(-1);
  const ends = left > 0 && left <= last;
  const top = 1.08 * Math.max(ends ? forecast.high : 0, ...found.values, 1e-9);
  const x = (budget) => LEFT + ((width - LEFT - RIGHT) * budget) / Math.max(1, last);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / top;
  const path = (from, to) =>
    found.budgets
      .filter((budget) => from <= budget && budget <= to)
      .map((budget) => `${x(budget).toFixed(1)},${y(found.values[budget]).toFixed(1)}`)
      .join(" ");
  const end = Math.min(left, last);
  const words = `Frontier: ${decimal(found.values[0])} now, ${decimal(found.values[end])} with the ${left} units left. Forecast at the end: ${decimal(forecast.value)}, band ${decimal(forecast.low)} to ${decimal(forecast.high)}.`;
  return svg(
    "svg",
    {
      class: "frontier",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      role: "img",
      "aria-label": words,
    },
    ticks(top).map((value) => [
      svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg(
        "text",
        { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" },
        decimal(value),
      ),
    ]),
    goals(found, x, y),
    svg("polyline", { class: "beyond", points: path(end, last) }),
    svg("polyline", { class: "within", points: path(0, end) }),
    ends && ending(forecast, found.values[end], x(end), y, width),
    svg("circle", { class: "here", cx: x(0), cy: y(found.values[0]), r: 6 }),
    svg("line", { class: "here-line", x1: x(0), x2: x(0), y1: y(found.values[0]), y2: y(0) }),
    svg("text", { class: "here-label", x: x(0) - 6, y: HEIGHT - 20 }, "you are here"),
    svg("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0) }),
    marks(last, end).map((budget) =>
      svg(
        "text",
        { class: "tick", x: x(budget), y: HEIGHT - 20, "text-anchor": "middle" },
        `+${units(budget, data.until)}`,
      ),
    ),
    svg(
      "text",
      { class: "tick", x: width - RIGHT, y: HEIGHT - 4, "text-anchor": "end" },
      data.until ? "further practice" : "further budget units",
    ),
  );
}

function ending(forecast, best, x, y, width) {
  const above = forecast.value >= best;
  const atLeft = x > width - 130;
  const side = { x: x + (atLeft ? -10 : 10), "text-anchor": atLeft ? "end" : "start" };
  return [
    svg("line", { class: "until", x1: x, x2: x, y1: TOP - 14, y2: y(0) }),
    svg("text", { class: "tick", ...side, y: TOP - 20 }, "end of the budget"),
    svg("line", { class: "interval", x1: x, x2: x, y1: y(forecast.low), y2: y(forecast.high) }),
    svg("circle", { class: "forecast", cx: x, cy: y(forecast.value), r: 5 }),
    svg(
      "text",
      { class: "forecast-label", ...side, y: y(forecast.value) + (atLeft || above ? -12 : 20) },
      `forecast ${decimal(forecast.value)}`,
    ),
  ];
}

// The goal of the best plan, written along the curve wherever there is room.
function goals(found, x, y) {
  const runs = [];
  found.goals.forEach((goal, budget) => {
    if (runs.at(-1)?.goal === goal) runs.at(-1).end = budget;
    else runs.push({ goal, begin: budget, end: budget });
  });
  return runs.map(({ goal, begin, end }, index) => {
    const text = goal ? `goal ${goal}` : "no goal";
    const room = x(end) - x(begin);
    return [
      index > 0 && svg("line", { class: "switch", x1: x(begin), x2: x(begin), y1: TOP, y2: y(0) }),
      room > text.length * LABEL_WIDTH &&
        svg(
          "text",
          {
            class: "goal-label",
            x: x(begin) + 6,
            y: TOP - 4,
          },
          text,
        ),
    ];
  });
}

function ticks(top) {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].find((step) => step * power >= rough) * power;
  return Array.from({ length: Math.floor(top / size) + 1 }, (_, index) => index * size);
}

function marks(last, end) {
  const far = last - end > last / 8 ? [last] : [];
  return [...(end > last / 4 ? [end] : []), ...far];
}
