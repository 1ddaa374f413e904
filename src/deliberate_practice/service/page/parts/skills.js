// Each practised skill: believed competence with its band, and the episodes that it got.

import { question } from "../dialog.js";
import { h, svg } from "../dom.js";
import { count, decimal, duration } from "../words.js";

const SPENT = {
  reached: "reached the attempt",
  unreached: "unreached",
  other: "aborted, assisted or open",
  test: "tests",
  training: "training",
};

export function skills(data, operator) {
  const names = practisable(data);
  const shown = names.filter((name) => concerns(name, data));
  const others = names.filter((name) => !concerns(name, data));
  const fixed = data.skills.filter((row) => !row.practisable);
  return h(
    "section",
    { class: "block", "aria-labelledby": "skills-title" },
    h("h2", { id: "skills-title" }, "Competence by skill"),
    h(
      "p",
      { class: "legend small" },
      h("span", {}, key("now"), "believed now, with its band"),
      h("span", {}, key("after"), "expected at the end of the budget"),
    ),
    h(
      "ul",
      { class: operator.isAdmin ? "skills acting" : "skills" },
      shown.map((name) => skill(name, data, operator)),
    ),
    others.length > 0 &&
      h(
        "details",
        { class: "others", key: "others" },
        h(
          "summary",
          {},
          `${count(others.length, "other skill")}: not in the plan, and not practised yet`,
        ),
        h(
          "ul",
          { class: operator.isAdmin ? "skills acting" : "skills" },
          others.map((name) => skill(name, data, operator)),
        ),
      ),
    fixed.length > 0 &&
      h(
        "p",
        { class: "small" },
        "Not practised: ",
        fixed.map((row, i) => [
          i ? ", " : "",
          `${row.skill} ${decimal(data.competence[row.policy])}`,
        ]),
        ".",
      ),
    data.forecast.gaps.length > 0 && gaps(data.forecast.gaps),
  );
}

// What skills lose right after others: known once a whole plan was executed.
function gaps(rows) {
  return h(
    "div",
    { class: "gaps" },
    h("h3", { id: "gaps-title" }, "Lost right after another skill"),
    h(
      "ul",
      { class: "skills", "aria-labelledby": "gaps-title" },
      rows.map((row) =>
        h(
          "li",
          { key: `${row.before} ${row.policy}` },
          h("span", { class: "skill-name" }, `${row.before} then ${row.policy}`),
          h(
            "span",
            { class: "skill-numbers" },
            h("strong", {}, count(Math.round(row.points), "point")),
            h(
              "span",
              { class: "small" },
              ` ${Math.round(row.low)} to ${Math.round(row.high)}; ${row.successes} of ${row.executions} succeeded`,
            ),
          ),
        ),
      ),
    ),
  );
}

// Bars are budget units, because episodes of one skill may cost more than those of another.
export function spending(data) {
  const amount = (number) => (data.until ? duration(number) : count(number, "unit"));
  const rows = practisable(data)
    .map((name) => ({ name, ...data.spending[name] }))
    .map((row) => ({ ...row, units: total(row) }))
    .filter((row) => row.units > 0);
  const most = Math.max(1, ...rows.map((row) => row.units));
  const probed = Object.values(data.spending).reduce((sum, row) => sum + (row.probe?.units ?? 0), 0);
  return h(
    "section",
    { class: "block", "aria-labelledby": "spending-title" },
    h("h2", { id: "spending-title" }, "Where the budget went"),
    rows.length === 0 && h("p", { class: "empty" }, "No episode yet."),
    data.probes > 0 &&
      h(
        "p",
        { class: "small" },
        `${count(data.probes, "episode")} executed the whole plan: ${amount(probed)}.`,
      ),
    rows.length > 0 &&
      h(
        "p",
        { class: "legend small" },
        Object.entries(SPENT).map(
          ([kind, words]) => rows.some((row) => row[kind]) && h("span", {}, swatch(kind), words),
        ),
      ),
    h(
      "ul",
      { class: "skills" },
      rows.map((row) => {
        const parts = [
          row.reached && `${row.reached.trials} reached`,
          row.unreached && `${row.unreached.trials} unreached`,
          row.other && `${row.other.trials} other`,
          row.test && count(row.test.trials, "test"),
          row.training && count(row.training.trials, "training run"),
        ].filter(Boolean);
        const words = parts.join(", ");
        return h(
          "li",
          { key: row.name },
          h("span", { class: "skill-name" }, row.name),
          h(
            "span",
            { class: "skill-numbers" },
            h("strong", {}, amount(row.units)),
            h("span", { class: "small" }, ` ${words}`),
          ),
          bars(row, most, `${amount(row.units)}, ${words}`),
        );
      }),
    ),
  );
}

// Whether people should see a policy at once: the plan uses it, or it was practised or blocked.
function concerns(name, data) {
  const members = data.skills.filter((row) => row.policy === name).map((row) => row.skill);
  return (
    name in data.forecast.policies ||
    data.attempts[name] > 0 ||
    (data.allocation[name] ?? 0) > 0 ||
    members.some((member) => member in data.blocked)
  );
}

function practisable(data) {
  return [...new Set(data.skills.filter((row) => row.practisable).map((row) => row.policy))];
}

function skill(name, data, operator) {
  const now = data.competence[name];
  const growth = data.forecast.policies[name];
  const [low, high] = data.bands[name] ?? [now, now];
  const grows = growth && growth.attempts > 0;
  const members = data.skills.filter((row) => row.policy === name).map((row) => row.skill);
  const why = members.map((member) => data.blocked[member]).find((text) => text !== undefined);
  const words = `${name}: competence ${decimal(now)}, band ${decimal(low)} to ${decimal(high)}${grows ? `, expected at the end ${decimal(growth.after)}` : ""}`;
  return h(
    "li",
    { key: name, class: why === undefined ? "" : "blocked" },
    h(
      "span",
      { class: "skill-name" },
      name,
      why !== undefined && h("span", { class: "tag" }, why ? `blocked: ${why}` : "blocked"),
    ),
    h(
      "span",
      { class: "skill-numbers" },
      h("strong", {}, decimal(now)),
      grows && ` → ${decimal(growth.after)}`,
      h("span", { class: "small" }, ` ${count(data.attempts[name], "attempt")}`),
    ),
    track(now, low, high, grows ? growth.after : null, words),
    operator.isAdmin && blocking(members, data, operator),
  );
}

function blocking(members, data, operator) {
  return h(
    "span",
    { class: "skill-actions" },
    members.map((member) =>
      member in data.blocked
        ? h(
            "button",
            {
              class: "quiet",
              type: "button",
              onclick: () => operator.attempt("unblock", { skill: member }),
              "aria-label": `Unblock ${member}`,
            },
            members.length > 1 ? `Unblock ${member}` : "Unblock",
          )
        : h(
            "button",
            {
              class: "quiet",
              type: "button",
              "aria-label": `Block ${member}`,
              onclick: () =>
                question({
                  title: `Block ${member}`,
                  text: "No trial uses a blocked skill, neither in practice nor on the way to others.",
                  label: "Why (may be empty)",
                  button: "Block it",
                  act: (why) => operator.operate("block", { skill: member, why }),
                }),
            },
            members.length > 1 ? `Block ${member}` : "Block",
          ),
    ),
  );
}

const percent = (share) => `${(100 * share).toFixed(2)}%`;

function track(now, low, high, after, words) {
  return svg(
    "svg",
    { class: "track", height: 22, width: "100%", role: "img", "aria-label": words },
    svg("line", { class: "rail", x1: "0%", x2: "100%", y1: 11, y2: 11 }),
    svg("rect", {
      class: "band",
      x: percent(low),
      width: percent(Math.max(high - low, 0.004)),
      y: 6,
      height: 10,
      rx: 5,
    }),
    after !== null &&
      svg("line", { class: "growth", x1: percent(now), x2: percent(after), y1: 11, y2: 11 }),
    after !== null && svg("circle", { class: "after", cx: percent(after), cy: 11, r: 5 }),
    svg("circle", { class: "now", cx: percent(now), cy: 11, r: 5.5 }),
  );
}

function total(row) {
  return Object.keys(SPENT).reduce((sum, kind) => sum + (row[kind]?.units ?? 0), 0);
}

function bars(row, most, words) {
  let at = 0;
  const parts = Object.keys(SPENT).map((kind) => {
    const bar =
      row[kind] &&
      svg("rect", {
        class: `bar ${kind}`,
        x: percent(at / most),
        width: percent(row[kind].units / most),
        y: 4,
        height: 12,
      });
    at += row[kind]?.units ?? 0;
    return bar;
  });
  return svg(
    "svg",
    {
      class: "bars",
      height: 20,
      width: "100%",
      role: "img",
      "aria-label": `${row.name}: ${words}`,
    },
    parts,
  );
}

function key(kind) {
  return svg(
    "svg",
    { class: `key ${kind}`, width: 14, height: 14, "aria-hidden": "true" },
    svg("circle", { class: kind, cx: 7, cy: 7, r: 5 }),
  );
}

function swatch(kind) {
  return svg(
    "svg",
    { class: "key", width: 14, height: 12, "aria-hidden": "true" },
    svg("rect", { class: `bar ${kind}`, width: 14, height: 12 }),
  );
}
