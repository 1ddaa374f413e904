// Questions in a dialog: Esc closes it, and focus returns to where it was.

import { h, show } from "./dom.js";

// Show content in a dialog; `content` gets a function that closes it.
export function openDialog(title, content) {
  const dialog = h("dialog", {
    class: "dialog",
    "aria-labelledby": "dialog-title",
    onclose: () => dialog.remove(),
  });
  const close = () => dialog.close();
  show(
    dialog,
    h(
      "div",
      { class: "dialog-head" },
      h("h2", { id: "dialog-title" }, title),
      h("button", { class: "quiet", type: "button", onclick: close, "aria-label": "Close" }, "×"),
    ),
    content(close),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Ask for one text. `act` gets it; if it raises an error, the dialog shows that and stays.
export function question({
  title,
  text,
  label,
  button,
  act,
  type = "text",
  required = false,
  value = "",
}) {
  openDialog(title, (close) => {
    const fault = h("p", { class: "fault", role: "alert", hidden: true });
    async function submit(event) {
      event.preventDefault();
      try {
        await act(new FormData(event.target).get("answer").trim());
        close();
      } catch (error) {
        fault.textContent = error.message;
        fault.hidden = false;
      }
    }
    const options = { id: "answer", name: "answer", required, value, autocomplete: "off" };
    return h(
      "form",
      { class: "form", onsubmit: submit },
      text && h("p", {}, text),
      h("label", { for: "answer" }, label),
      type === "area"
        ? h("textarea", { ...options, rows: 4 })
        : h("input", { ...options, type, min: type === "number" ? 1 : null }),
      fault,
      h(
        "div",
        { class: "row" },
        h("button", { class: "primary", type: "submit" }, button),
        h("button", { type: "button", onclick: close }, "Cancel"),
      ),
    );
  });
}
