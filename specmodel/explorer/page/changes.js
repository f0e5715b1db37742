// What a step has changed, a line a leaf.

import { el, row, rowHead, table, valueWas } from "./dom.js";

// The variable that a place is a part of.
export function variableOf(place) {
  return /^[^.[]*/.exec(place)[0];
}

export function changeList(changes, shows = () => true) {
  if (!changes.length) return el("p.quiet", "Nothing changes.");
  const shown = changes.filter(({ place }) => shows(variableOf(place)));
  if (!shown.length) return el("p.quiet", "Only hidden variables change.");
  return table("changes", shown.map((change) => row([rowHead(change.place), changeText(change)])));
}

function changeText({ kind, before, after, gained, lost, kept }) {
  const each = (names, sign, how) => names.map((name) => el(`span.${how}`, `${sign}${name} `));
  if (kind === "members") return [each(gained, "+", "gained"), each(lost, "−", "lost"), el("span.now", `→ ${after}`)];
  if (kind === "appended") return ["appended ", each(gained, "", "gained")];
  if (kind === "truncated") return [`truncated to ${kept}, losing `, each(lost, "", "lost")];
  return [valueWas(before), el("span.now", after)];
}

// The changes of one variable on one line, by the places within it.
export function changesOf(name, changes) {
  const own = changes.filter(({ place }) => variableOf(place) === name);
  return own.map((change) => `${change.place.slice(name.length)} ${brief(change)}`.trim()).join("; ");
}

// The same on one line, for a list of choices.
export function changeBrief(changes) {
  return changes.map((change) => `${change.place} ${brief(change)}`).join(";  ");
}

function brief({ kind, before, after, gained, lost, kept }) {
  if (kind === "members") return [...gained.map((n) => `+${n}`), ...lost.map((n) => `−${n}`)].join(" ");
  if (kind === "appended") return `append ${gained.join(", ")}`;
  if (kind === "truncated") return `truncate to ${kept}`;
  return `${before} → ${after}`;
}
