// Elements as values, and a page that changes as little as possible: focus and typed text stay.

const SVG = "http://www.w3.org/2000/svg";
const HANDLERS = ["onclick", "onsubmit", "onchange", "oninput", "onkeydown", "onclose"];
const PROPERTIES = ["key", "draw", "indeterminate"];

// h("p", { class: "why" }, "text") makes an element; null and false children are left out.
// Data comes in as text alone.
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// Let a place have these children. Elements that are there already are kept.
export function show(place, ...children) {
  patchChildren(place, nodes(children));
  redraw(place);
}

// Draw every chart of a place again, at its present width.
export function redraw(place) {
  for (const chart of place.querySelectorAll("[data-draw]")) {
    patchChildren(chart, nodes([chart.draw(chart.clientWidth)]));
  }
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element[name] = value;
    else if (name === "style")
      Object.entries(value).forEach(([k, v]) => element.style.setProperty(k, v));
    else if (PROPERTIES.includes(name)) {
      element[name] = value;
      if (name === "draw") element.setAttribute("data-draw", "");
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

function patchChildren(place, fresh) {
  const keyed = new Map();
  for (const child of place.childNodes) if (child.key !== undefined) keyed.set(child.key, child);
  let next = place.firstChild;
  for (const node of fresh) {
    const kept = node.key !== undefined ? keyed.get(node.key) : next;
    if (kept && alike(kept, node)) {
      if (kept === next) next = next.nextSibling;
      else place.insertBefore(kept, next);
      patch(kept, node);
    } else {
      place.insertBefore(node, next);
    }
  }
  while (next) {
    const after = next.nextSibling;
    next.remove();
    next = after;
  }
}

function alike(one, other) {
  return one.nodeName === other.nodeName && one.key === other.key;
}

function patch(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "style" && name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "style" && name !== "open" && old.getAttribute(name) !== value)
      old.setAttribute(name, value);
  }
  if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
  for (const name of [...HANDLERS, ...PROPERTIES]) {
    if (old[name] !== fresh[name]) old[name] = fresh[name];
  }
  if (!old.draw) patchChildren(old, [...fresh.childNodes]);
}
