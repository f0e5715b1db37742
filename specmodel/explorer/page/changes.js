// What a step has changed, a line a leaf.

import { el, row, rowHead, table, valueWas } from "./dom.js";

export function changeList(changes) {
  if (!changes.length) return el("p.quiet", "Nothing changes.");
  return table("changes", changes.map((change) => row([rowHead(change.place), changeText(change)])));
}

function changeText({ kind, before, after, gained, lost, kept }) {
  const each = (names, sign, how) => names.map((name) => el(`span.${how}`, `${sign}${name} `));
  if (kind === "members") return [each(gained, "+", "gained"), each(lost, "−", "lost"), el("span.now", `→ ${after}`)];
  if (kind === "appended") return ["appended ", each(gained, "", "gained")];
  if (kind === "truncated") return [`truncated to ${kept}, losing `, each(lost, "", "lost")];
  return [valueWas(before), el("span.now", after)];
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
