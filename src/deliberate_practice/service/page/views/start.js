// Start a session: the task, the budget, and the parts.

import { get, newKey, post } from "../api.js";
import { h } from "../dom.js";

const GATES = {
  abort: "after an aborted trial",
  always: "before every trial",
  never: "never",
};

export function openStart({ draw, go }) {
  let parts = { domains: [], strategies: ["deliberate"], beliefs: ["bayes"] };
  let own = false;
  let fault = null;
  let busy = false;
  let key = newKey();

  get("/api/parts").then(
    (found) => {
      parts = found;
      render();
    },
    () => {},
  );
  render();

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const form = Object.fromEntries(new FormData(event.target));
    const { name, budget, strategy, belief, approach, gate } = form;
    const task = own ? form.text : form.domain;
    [busy, fault] = [true, null];
    render();
    try {
      await post(
        "/api/sessions",
        { name: name.trim(), task, budget: Number(budget), strategy, belief, approach, gate },
        key,
      );
      go(`#/sessions/${encodeURIComponent(name.trim())}`);
    } catch (error) {
      fault = error.message;
      if (error.status) key = newKey();
    }
    busy = false;
    render();
    document.getElementById("start-fault")?.focus();
  }

  async function choose(event) {
    const [file] = event.target.files;
    if (file) document.getElementById("text").value = await file.text();
  }

  function render() {
    draw(
      h(
        "section",
        { class: "narrow" },
        h("h1", {}, "Start a session"),
        fault &&
          h("p", { class: "fault", id: "start-fault", tabindex: "-1", role: "alert" }, fault),
        h("form", { class: "form", onsubmit: submit }, fields()),
      ),
    );
  }

  function fields() {
    return [
      field("name", "Name", {
        required: true,
        maxlength: 100,
        placeholder: "monday",
        pattern: "[^\\/]+",
      }),
      h(
        "fieldset",
        {},
        h("legend", {}, "Task"),
        radio("built-in", "A built-in one", false),
        radio("own", "My own task file", true),
      ),
      !own &&
        h(
          "div",
          { key: "domain" },
          h("label", { for: "domain" }, "Built-in task"),
          select("domain", parts.domains, "breakfast"),
        ),
      own &&
        h(
          "div",
          { key: "own" },
          h("label", { for: "file" }, "Choose the file"),
          h("input", { id: "file", type: "file", accept: ".toml,text/plain", onchange: choose }),
          h("label", { for: "text" }, "or paste its text (TOML)"),
          h("textarea", {
            id: "text",
            name: "text",
            rows: 12,
            required: true,
            spellcheck: "false",
          }),
        ),
      field(
        "budget",
        "Budget, in units (one trial costs one unit unless the task says otherwise)",
        {
          type: "number",
          min: 0,
          max: 1000000,
          step: 1,
          required: true,
          value: 60,
          inputmode: "numeric",
        },
      ),
      h(
        "div",
        { class: "pair" },
        h(
          "div",
          {},
          h("label", { for: "strategy" }, "Strategy"),
          select("strategy", parts.strategies, "deliberate"),
        ),
        h(
          "div",
          {},
          h("label", { for: "belief" }, "Belief"),
          select("belief", parts.beliefs, "bayes"),
        ),
      ),
      h("label", { for: "approach" }, "Approach"),
      h(
        "select",
        { id: "approach", name: "approach" },
        h("option", { value: "execute" }, "The robot executes the skills on the way"),
        h("option", { value: "free" }, "A person sets each scene"),
      ),
      h("label", { for: "gate" }, "Trials wait for Ready"),
      h(
        "select",
        { id: "gate", name: "gate" },
        Object.entries(GATES).map(([value, text]) => h("option", { value }, text)),
      ),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { class: "primary", type: "submit", "aria-disabled": busy ? "true" : null },
          busy ? "Starting…" : "Start",
        ),
        h("a", { class: "button", href: "#/" }, "Cancel"),
      ),
    ];
  }

  function radio(id, text, value) {
    const choose = () => {
      own = value;
      render();
    };
    return h(
      "label",
      { class: "choice", key: id },
      h("input", {
        type: "radio",
        name: "kind",
        value: id,
        checked: value === own,
        onchange: choose,
      }),
      text,
    );
  }

  return { close() {} };
}

function field(name, text, attributes) {
  return [
    h("label", { for: name }, text),
    h("input", { id: name, name, autocomplete: "off", ...attributes }),
  ];
}

function select(name, values, chosen) {
  return h(
    "select",
    { id: name, name, key: `${name} ${values.length}` },
    values.map((value) => h("option", { value, selected: value === chosen }, value)),
  );
}
