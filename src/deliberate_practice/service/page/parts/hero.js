// First of all: the skill that is practised now, why, for which goal, and what is left.

import { h, svg } from "../dom.js";
import { ACTIVITY, clock, decimal, duration, listed, sentence, units } from "../words.js";

export function hero(data, inList) {
  const { title, why, besides } = practised(data);
  return h(
    "section",
    { class: "hero", "aria-labelledby": "hero-title" },
    h(
      "p",
      { class: "over" },
      h("span", { class: `state ${data.activity}` }, stateWords(data)),
      inList && [h("a", { href: "#/" }, "Sessions"), " / "],
      h("span", {}, `${data.name} (${data.task})`),
    ),
    h("h1", { id: "hero-title" }, title),
    h("p", { class: "why" }, why),
    besides && h("p", { class: "small besides" }, besides),
    plan(data),
    facts(data),
    data.warnings.map((warning) => h("p", { class: "note-line" }, warning)),
  );
}

function stateWords(data) {
  return data.state === "ended" || data.state === "archived" ? "Ended" : ACTIVITY[data.activity];
}

function practised(data) {
  const open = data.open_trials;
  const latest = open.find((trial) => trial.waits_for_ready) ?? open.at(-1);
  if (latest) {
    const others = open.filter((trial) => trial.skill !== latest.skill);
    const words = others.map((trial) => `${trial.robot ?? "a program"} practises ${trial.skill}`);
    const besides = words.length > 0 && `At the same time ${listed(words)}.`;
    return { title: latest.skill, why: sentence(latest.reason), besides };
  }
  if (data.activity === "done") {
    const goal = data.goal
      ? `With its plan for ${data.goal} the robot is expected to earn`
      : "The robot is expected to earn";
    const end = data.left
      ? `${units(data.left, data.until)} of the budget are left. `
      : "The budget is spent. ";
    return {
      title: data.goal ?? "No goal in reach",
      why: `${end}${goal} ${decimal(data.expected_reward)} per execution.`,
    };
  }
  if (data.why) return { title: data.why.policy, why: sentence(data.reason) };
  return {
    title: "Nothing practised yet",
    why: "The first trial comes when a robot asks for one, or when you practise by hand.",
  };
}

function plan(data) {
  const { plan: skills, goal, policies } = data.forecast;
  if (!skills.length) return h("p", { class: "plan-none" }, "No plan leads to a goal yet.");
  const policyOf = Object.fromEntries(data.skills.map((row) => [row.skill, row.policy]));
  const now = new Set(data.open_trials.map((trial) => trial.policy));
  const text = data.left
    ? "The plan that the rest of the budget is spent on"
    : "The plan of the robot";
  return h(
    "div",
    { class: "plan" },
    h("p", { class: "unseen", id: "plan-title" }, `${text}, for the goal ${goal}`),
    h(
      "ol",
      { "aria-labelledby": "plan-title" },
      skills.map((skill) => {
        const growth = policies[policyOf[skill]];
        const grows = growth && growth.after - growth.now > 0.005;
        return h(
          "li",
          { class: now.has(policyOf[skill]) ? "now" : "" },
          h("span", { class: "plan-skill" }, skill),
          h(
            "span",
            { class: "plan-number" },
            decimal(data.competence[policyOf[skill]]),
            grows && ` → ${decimal(growth.after)}`,
          ),
        );
      }),
      h(
        "li",
        { class: "goal" },
        h("span", { class: "plan-skill" }, flag(), goal),
        h("span", { class: "plan-number" }, "goal"),
      ),
    ),
  );
}

function flag() {
  return svg(
    "svg",
    { class: "flag", viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    svg("path", { d: "M3.5 15 V1.5 H13 L10.2 5.2 L13 9 H3.5" }),
  );
}

function facts(data) {
  const { forecast } = data;
  const spent = data.budget ? data.spent / data.budget : 1;
  const amount = (number) => units(number, data.until);
  return h(
    "dl",
    { class: "facts" },
    fact(
      "Budget left",
      [h("span", { class: "number" }, amount(data.left)), ` of ${amount(data.budget)}`],
      meter(spent, `${amount(data.spent)} of ${amount(data.budget)} spent`),
    ),
    fact(
      "Time left",
      timeLeft(data),
      data.left > 0 &&
        h("span", { class: "small" }, data.until ? "by the clock" : "at the present pace"),
    ),
    fact(
      data.left ? "Reward at the end" : "Reward expected",
      [
        h("span", { class: "number" }, decimal(forecast.value)),
        ` (${decimal(forecast.low)} to ${decimal(forecast.high)})`,
      ],
      h(
        "span",
        { class: "small" },
        data.left
          ? `now ${decimal(forecast.now)}; the band holds 80 % of the belief`
          : measured(data),
      ),
    ),
  );
}

function fact(name, value, below) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value), h("dd", { class: "below" }, below));
}

function timeLeft(data) {
  if (!data.left || data.activity === "done") return "none";
  if (data.until) return `until ${clock(data.until)}`;
  if (!data.seconds_per_unit) return "not known yet";
  return h("span", { class: "number" }, duration(data.left * data.seconds_per_unit));
}

function measured(data) {
  if (data.reward_after === null) return "under the present belief";
  return `measured ${decimal(data.reward_after)}, before practice ${decimal(data.reward_before)}`;
}

function meter(share, words) {
  return h(
    "span",
    { class: "meter", role: "img", "aria-label": words },
    h("span", { style: { width: `${100 * Math.min(1, share)}%` } }),
  );
}
