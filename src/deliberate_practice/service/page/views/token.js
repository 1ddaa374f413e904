// The view without a token: one field, and the reason if a token was refused.

import { h } from "../dom.js";

export function openToken(draw, message, use) {
  function submit(event) {
    event.preventDefault();
    const text = new FormData(event.target).get("token").trim();
    const link = text.match(/#token=(.+)$/);
    if (text) use(link ? link[1] : text);
  }

  draw(
    h(
      "section",
      { class: "narrow", "aria-labelledby": "token-title" },
      h("h1", { id: "token-title" }, "Open with a token"),
      message && h("p", { class: "fault" }, message),
      h(
        "p",
        {},
        "The link that ",
        h("code", {}, "deliberate serve"),
        " prints on its first start holds one. An admin makes others: ",
        h("code", {}, "deliberate tokens --new read-only --name ada"),
        ".",
      ),
      h(
        "form",
        { class: "form", onsubmit: submit },
        h("label", { for: "token" }, "Token or link"),
        h("input", {
          id: "token",
          name: "token",
          type: "password",
          autocomplete: "off",
          spellcheck: "false",
          required: true,
        }),
        h("div", { class: "row" }, h("button", { class: "primary", type: "submit" }, "Open")),
      ),
      h("p", { class: "small" }, "The browser keeps the token until you sign out."),
    ),
  );
  return { close() {} };
}
