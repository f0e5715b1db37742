// Elements. Text from traces and specs becomes text nodes and attributes, never markup.

// An element by its tag and classes, as `p.quiet`, with its children. An object before them has
// properties: listeners by names that start with `on`, styles by names that start with `--`, and
// attributes; what is false or null is left out, of a list of classes too.
export function el(what, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);
  const { class: more, ...properties } = children[0]?.constructor === Object ? children.shift() : {};
  made.classList.add(...classes, ...[more].flat(Infinity).filter(Boolean));
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, String(value));
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  put(made, children);
  return made;
}

function put(parent, children) {
  const shown = children.flat(Infinity).filter((child) => !["", null, undefined, false].includes(child));
  parent.append(...shown.map((child) => (child instanceof Node ? child : String(child))));
}

// New children in place of the old; what had the focus has it again, if it has a key.
export function fill(parent, ...children) {
  const key = parent.contains(document.activeElement) && document.activeElement.dataset.key;
  parent.replaceChildren();
  put(parent, children);
  if (key) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

// What was folded, put into its details once they are opened; what lies around is told.
export function unfold(details, body) {
  details.append(body);
  details.dispatchEvent(new Event("unfolded", { bubbles: true }));
}

export function button(label, title, onclick, more) {
  return el("button", { type: "button", title, onclick, ...more }, label);
}

// A table of rows, below a row of heads if there is one.
export function table(kind, rows, heads) {
  return el(`table.${kind}`, heads && el("thead", heads), el("tbody", rows));
}

// A row of a table: of cells, and of what is put into one. What is false is left out.
export function row(cells, properties = {}) {
  const cell = (held) => (held instanceof HTMLTableCellElement ? held : el("td", {}, held));
  return el("tr", properties, cells.filter((held) => held !== false).map(cell));
}

export function rowHead(...text) {
  return el("th", { scope: "row" }, text);
}

export function columnHead(...text) {
  return el("th", { scope: "col" }, text);
}

export function mark(good) {
  return good ? el("span.mark-true", "✓ ") : el("span.mark-false", "✗ ");
}

export function valueWas(before) {
  return [el("span.was", before), " → "];
}

// A value, and what it was if that is known and was another.
export function valueText(before, value) {
  if (before === undefined || before === value) return el("span.value", value);
  return [valueWas(before), el("span.value.changed", value)];
}

// What an answer says, or why there is none, or that it is on its way.
export function whenKnown(found, say) {
  if (found === undefined) return el("p.quiet", "…");
  return found.error ? el("p.wrong", found.error) : say(found);
}

// A step as `action` and the rest, so that each can have a style of its own.
export function stepText(label) {
  const [, name, inner] = /^([^(]*)(?:\((.*?)\)?)?$/s.exec(label);
  return [el("span.step-name", name), inner && el("span.step-arguments", `(${inner})`)];
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
