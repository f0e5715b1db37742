// Values of a state: records and maps as rows and tables, what has changed marked.

import { el } from "./dom.js";

const DEEPEST_OPEN = 4;

// A value on one line.
export function short(value) {
  if (typeof value === "string") return value;
  if (value.text !== undefined) return value.text;
  const listed = value.kind === "list" || value.kind === "set";
  const inner = value.parts.map(([name, held]) => {
    const text = short(held);
    if (listed) return text;
    return value.kind === "record" ? `${name}=${text}` : `${name}: ${text}`;
  });
  const [opened, closed] = value.kind === "list" ? "[]" : value.kind === "record" ? "()" : "{}";
  return `${value.kind === "record" ? value.name : ""}${opened}${inner.join(", ")}${closed}`;
}

export function stateTree(state, changes) {
  const marks = new Map(changes.map((change) => [change.place, change]));
  return el("div", { class: "tree scroll-x" }, treeRows(state, "", marks, 0));
}

function within(place, marks) {
  for (const changed of marks.keys()) {
    if (changed.startsWith(place) && /^$|^[.[]/.test(changed.slice(place.length))) return true;
  }
  return false;
}

function placeOf(place, kind, name) {
  if (kind === "record") return place ? `${place}.${name}` : name;
  return `${place}[${name}]`;
}

function treeRows(value, place, marks, depth) {
  return value.parts.map(([name, held]) => {
    const path = placeOf(place, value.kind, name);
    const shown = treeValue(held, path, marks, depth + 1);
    const below = depth > 0 && /tree-group|DETAILS/.test(`${shown.className} ${shown.tagName}`);
    return el("div", { class: below ? "tree-row below" : "tree-row" }, el("span", { class: "tree-name" }, name), shown);
  });
}

function treeValue(value, place, marks, depth) {
  if (isLeaf(value)) return treeLeaf(value, place, marks);
  if (depth > DEEPEST_OPEN) return treeFolded(value, place, marks, depth);
  const columns = columnsOf(value);
  if (columns) return treeTable(value, columns, place, marks);
  const plain = value.parts.every(([, held]) => isLeaf(held));
  if (plain && value.kind === "record") return treeInline(value, place, marks);
  return el("div", { class: "tree-group" }, treeRows(value, place, marks, depth));
}

function isLeaf(value) {
  return (
    typeof value === "string" ||
    value.text !== undefined ||
    value.parts.length === 0 ||
    (value.kind !== "record" && value.kind !== "map" && value.parts.every(([, v]) => isText(v)))
  );
}

function isText(value) {
  return typeof value === "string" || value.text !== undefined;
}

function treeLeaf(value, place, marks) {
  const change = marks.get(place);
  const changed = change || within(place, marks);
  const shown = el("span", { class: changed ? "value changed" : "value" }, short(value));
  if (change && change.before !== undefined) {
    shown.title = `was ${change.before}`;
    return el("span", {}, el("span", { class: "was" }, change.before), " ", shown);
  }
  return shown;
}

function treeInline(value, place, marks) {
  const parts = value.parts.map(([name, held]) => [
    el("span", { class: "tree-label" }, name),
    treeLeaf(held, placeOf(place, value.kind, name), marks),
  ]);
  return el("span", { class: "tree-inline" }, parts.map((pair) => el("span", {}, pair)));
}

// The fields of records that a map has, if it is a table of them.
function columnsOf(value) {
  if (value.kind !== "map") return null;
  const records = value.parts.map(([, held]) => held).filter((held) => held.kind === "record");
  if (!records.length) return null;
  const names = records[0].parts.map(([name]) => name);
  const alike = value.parts.every(
    ([, held]) =>
      typeof held === "string" ||
      (held.kind === "record" &&
        held.parts.length === names.length &&
        held.parts.every(([name, inner], i) => name === names[i] && isLeaf(inner))),
  );
  return alike ? names : null;
}

function treeTable(value, columns, place, marks) {
  const heads = columns.map((name) => el("th", { scope: "col" }, name));
  const rows = value.parts.map(([name, held]) => {
    const path = placeOf(place, value.kind, name);
    const cells =
      typeof held === "string"
        ? el("td", { colspan: columns.length }, treeLeaf(held, path, marks))
        : held.parts.map(([field, inner]) =>
            el("td", {}, treeLeaf(inner, placeOf(path, "record", field), marks)),
          );
    const key = el("th", { scope: "row" }, name);
    const record = el("tr", {}, key, cells);
    if (typeof held !== "string" && marks.has(path)) record.classList.add("changed-row");
    return record;
  });
  const head = el("thead", {}, el("tr", {}, el("td"), heads));
  const table = el("table", { class: "tree-table" }, head, el("tbody", {}, rows));
  return el("div", { class: "scroll-x" }, table);
}

// Deep values are put into the page when they are opened.
function treeFolded(value, place, marks, depth) {
  const text = short(value);
  const summary = el("summary", {}, text.length > 60 ? `${text.slice(0, 57)}...` : text);
  const made = el("details", { class: within(place, marks) ? "changed" : "" }, summary);
  made.addEventListener(
    "toggle",
    () => made.append(el("div", { class: "tree-group" }, treeRows(value, place, marks, depth - 2))),
    { once: true },
  );
  return made;
}
