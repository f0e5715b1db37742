// Values of a state: records and maps as rows and tables, what has changed marked.

import { columnHead, el, plural, row, rowHead, table, unfold, valueWas } from "./dom.js";

const DEEPEST_OPEN = 4;

// A value on one line.
export function short(value) {
  if (isText(value)) return value.text ?? value;
  const { kind, name, parts } = value;
  const joint = { record: "=", map: ": " }[kind];
  const inner = parts.map(([key, held]) => (joint ? `${key}${joint}${short(held)}` : short(held)));
  const [opened, closed] = { list: "[]", record: "()" }[kind] ?? "{}";
  return `${kind === "record" ? name : ""}${opened}${inner.join(", ")}${closed}`;
}

// `shows` says of a variable whether it is shown, `since` gives what stands beside it.
export function stateTree(state, changes, { shows = () => true, since = () => null } = {}) {
  const marks = new Map(changes.map((change) => [change.place, change]));
  const parts = state.parts.filter(([name]) => shows(name));
  const rows = treeRows({ ...state, parts }, "", marks, 0);
  parts.forEach(([name], i) => rows[i].children[0].append(since(name) ?? ""));
  const hidden = state.parts.length - parts.length;
  return el("div.tree.scroll-x", rows, hidden > 0 && el("p.quiet", `${plural(hidden, "variable")} hidden: see Table.`));
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
    const below = depth > 0 && shown.matches(".tree-group, details");
    return el("div.tree-row", { class: below && "below" }, el("span.tree-name", name), shown);
  });
}

function treeValue(value, place, marks, depth) {
  if (isLeaf(value)) return treeLeaf(value, place, marks);
  if (depth > DEEPEST_OPEN) return treeFolded(value, place, marks, depth);
  const columns = columnsOf(value);
  if (columns) return el("div.scroll-x", treeTable(value, columns, place, marks));
  const plain = value.parts.every(([, held]) => isLeaf(held));
  if (plain && value.kind === "record") return treeInline(value, place, marks);
  return el("div.tree-group", treeRows(value, place, marks, depth));
}

function isLeaf(value) {
  if (isText(value) || value.parts.length === 0) return true;
  return value.kind !== "record" && value.kind !== "map" && value.parts.every(([, held]) => isText(held));
}

function isText(value) {
  return typeof value === "string" || value.text !== undefined;
}

function treeLeaf(value, place, marks) {
  const change = marks.get(place);
  const changed = change || within(place, marks);
  const was = change?.before;
  const title = was !== undefined && `was ${was}`;
  const shown = el("span.value", { class: changed && "changed", title, "data-place": place }, short(value));
  return was === undefined ? shown : el("span", valueWas(was), shown);
}

// The texts of all leaves of a state, by their places.
export function leafTexts(value, place = "", found = new Map()) {
  if (place && isLeaf(value)) found.set(place, short(value));
  else for (const [name, held] of value.parts) leafTexts(held, placeOf(place, value.kind, name), found);
  return found;
}

function treeInline(value, place, marks) {
  const parts = value.parts.map(([name, held]) =>
    el("span", el("span.tree-label", name), treeLeaf(held, placeOf(place, value.kind, name), marks)),
  );
  return el("span.tree-inline", parts);
}

// The fields of records that a map has, if it is a table of them.
function columnsOf(value) {
  const held = value.parts.map(([, part]) => part);
  const first = held.find((part) => part.kind === "record");
  if (value.kind !== "map" || !first) return null;
  const names = (record) => record.parts.map(([name]) => name);
  const columns = names(first);
  const alike = (part) =>
    part.kind === "record" &&
    JSON.stringify(names(part)) === JSON.stringify(columns) &&
    part.parts.every(([, inner]) => isLeaf(inner));
  return held.every((part) => typeof part === "string" || alike(part)) ? columns : null;
}

function treeTable(value, columns, place, marks) {
  const rows = value.parts.map(([name, held]) => {
    const path = placeOf(place, value.kind, name);
    if (typeof held === "string") {
      return row([rowHead(name), el("td", { colspan: columns.length }, treeLeaf(held, path, marks))]);
    }
    const cells = held.parts.map(([field, inner]) => treeLeaf(inner, placeOf(path, "record", field), marks));
    return row([rowHead(name), ...cells], { class: marks.has(path) && "changed-row" });
  });
  return table("tree-table", rows, row([null, ...columns.map((name) => columnHead(name))]));
}

// Deep values are put into the page when they are opened.
function treeFolded(value, place, marks, depth) {
  const text = short(value);
  const summary = el("summary", text.length > 60 ? `${text.slice(0, 57)}...` : text);
  const made = el("details", { class: within(place, marks) && "changed" }, summary);
  const body = () => el("div.tree-group", treeRows(value, place, marks, depth - 2));
  made.addEventListener("toggle", () => unfold(made, body()), { once: true });
  return made;
}
