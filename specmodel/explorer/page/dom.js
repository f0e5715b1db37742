// Elements. Text from traces and specs becomes text nodes and attributes, never markup.

export function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, String(value));
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  put(made, children);
  return made;
}

export function put(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  put(parent, children);
}

export function button(label, title, onclick, more) {
  return el("button", { type: "button", title, onclick, ...more }, label);
}

// A step as `action` and the rest, so that each can have a style of its own.
export function stepParts(label) {
  const at = label.indexOf("(");
  if (at < 0) return [label, ""];
  return [label.slice(0, at), label.slice(at + 1, label.endsWith(")") ? -1 : undefined)];
}

export function stepText(label) {
  const [name, inner] = stepParts(label);
  return [
    el("span", { class: "step-name" }, name),
    inner && el("span", { class: "step-arguments" }, `(${inner})`),
  ];
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

// Whether a component has to be drawn anew: what it is drawn from is not what it was. What a person
// has unfolded or scrolled stays as it is while something else is loading.
export function outdated(component, ...inputs) {
  const before = component.drawnFrom;
  component.drawnFrom = inputs;
  return !before || before.length !== inputs.length || inputs.some((value, i) => value !== before[i]);
}
