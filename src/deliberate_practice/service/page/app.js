// The page: a token first, then the view that the address names.

import { announce, alarm } from "./announce.js";
import { get, Refused, token, whenInvalid } from "./api.js";
import { h, redraw, show } from "./dom.js";
import { drain } from "./outbox.js";
import { openSession } from "./views/session.js";
import { openSessions } from "./views/sessions.js";
import { openStart } from "./views/start.js";
import { openToken } from "./views/token.js";

const AGAIN_MS = 1_500;
const INVALID =
  "This token is not valid: it is mistyped, or it was revoked. Ask an admin for a new link.";

const main = document.getElementById("main");
let view = null;
let current = null; // whoever may draw
let me = null;
let connection = "";

begin();
window.addEventListener("hashchange", () => (takeToken() ? begin() : route()));
window.addEventListener("resize", () => redraw(main));
document.getElementById("skip").onclick = (event) => {
  event.preventDefault();
  main.focus();
};
whenInvalid(() => signedOut(INVALID));

async function begin() {
  takeToken();
  if (!token.get()) return signedOut(null);
  try {
    me = await get("/api/me");
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return;
    connect("lost");
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    return begin();
  }
  drain();
  route();
}

// The token of a link, which then leaves the address bar and the history.
function takeToken() {
  const link = location.hash.match(/^#token=(.+)$/);
  if (!link) return false;
  token.set(decodeURIComponent(link[1]).trim());
  history.replaceState(null, "", "/");
  return true;
}

function route() {
  if (!me) return;
  const [, room, name] = location.hash.match(/^#\/([a-z]*)\/?(.*)$/) ?? [];
  const only = me.session;
  const session = only ?? (room === "sessions" && name ? decodeURIComponent(name) : null);
  const context = { me, connect, go };
  if (session) change(`${session}`, (draw) => openSession({ ...context, draw }, session));
  else if (room === "new" && me.role === "admin")
    change("Start a session", (draw) => openStart({ ...context, draw }));
  else change("Sessions", (draw) => openSessions({ ...context, draw }));
}

// Open a view, which draws itself until the next one opens; an answer may come later than that.
function change(title, open) {
  if (view) main.focus({ preventScroll: true });
  view?.close();
  show(main);
  document.title = `${title} · Deliberate Practice`;
  connection = "";
  const mine = (current = {});
  view = open((...children) => {
    if (mine === current) show(main, ...children);
  });
  top();
  window.scrollTo(0, 0);
}

function go(address) {
  location.hash = address;
}

function signedOut(message) {
  me = null;
  token.forget();
  if (message) alarm(message);
  change("Token", (draw) =>
    openToken(draw, message, (text) => {
      token.set(text);
      begin();
    }),
  );
}

// Tell people whether the page is up to date.
function connect(state) {
  if (state === connection) return;
  if (state === "lost") alarm("The connection is lost. The page tries again.");
  if (state === "live" && connection === "lost") announce("The connection is back");
  if (state === "live") alarm("");
  connection = state;
  top();
}

function top() {
  const words = {
    live: "Live",
    lost: "Connection lost, trying again",
    gone: "Not there any more",
    crowded: "Not live: too many pages are open",
  };
  show(
    document.getElementById("top"),
    h(
      "a",
      { class: "brand", href: "#/" },
      h("span", { class: "brand-mark", "aria-hidden": "true" }),
      "Deliberate Practice",
    ),
    connection &&
      h("span", { class: `connection ${connection}`, id: "connection" }, words[connection]),
    me &&
      h(
        "span",
        { class: "who" },
        h("span", {}, `${me.name}, ${me.role}`),
        h("button", { class: "quiet", type: "button", onclick: () => signedOut(null) }, "Sign out"),
      ),
  );
}
