// What a step has changed, a line a leaf.

import { el } from "./dom.js";

export function changeList(changes) {
  if (!changes.length) return el("p", { class: "quiet" }, "Nothing changes.");
  const rows = changes.map((change) =>
    el("tr", {}, el("th", { scope: "row" }, change.place), el("td", {}, changeText(change))),
  );
  return el("table", { class: "changes" }, el("tbody", {}, rows));
}

export function changeText(change) {
  if (change.kind === "members") {
    return [
      change.gained.map((name) => el("span", { class: "gained" }, `+${name} `)),
      change.lost.map((name) => el("span", { class: "lost" }, `−${name} `)),
      el("span", { class: "now" }, `→ ${change.after}`),
    ];
  }
  if (change.kind === "appended") {
    return ["appended ", change.gained.map((name) => el("span", { class: "gained" }, `${name} `))];
  }
  if (change.kind === "truncated") {
    const lost = change.lost.map((name) => el("span", { class: "lost" }, `${name} `));
    return [`truncated to ${change.kept}, losing `, lost];
  }
  return [
    el("span", { class: "was" }, change.before),
    " → ",
    el("span", { class: "now" }, change.after),
  ];
}

// The same on one line, for a list of choices.
export function changeBrief(changes) {
  return changes
    .map((change) => {
      if (change.kind === "members") {
        const signs = [...change.gained.map((n) => `+${n}`), ...change.lost.map((n) => `−${n}`)];
        return `${change.place} ${signs.join(" ")}`;
      }
      if (change.kind === "appended") return `${change.place} append ${change.gained.join(", ")}`;
      if (change.kind === "truncated") return `${change.place} truncate to ${change.kept}`;
      return `${change.place} ${change.before} → ${change.after}`;
    })
    .join(";  ");
}
