// The same steps on another design, side by side, to the first that cannot happen there.

import { columnHead, el, fill, mark, row, rowHead, stepText, table, whenKnown } from "./dom.js";
import { Part } from "./part.js";
import { leafTexts } from "./tree.js";

export class ComparePanel extends Part {
  build() {
    this.select = el("select", { id: "rival", onchange: () => this.choose(this.select.value) });
    this.body = el("div");
    this.append(el("label.field", { for: "rival" }, "The same steps on ", this.select), this.body);
  }

  // A design that a person has chosen is shown at the step where the comparison ends, once that is
  // known, unless they have gone elsewhere by then. An address is shown at its own step.
  choose(rival) {
    this.store.go({ with: rival });
    this.chosenAt = this.store.view;
  }

  update() {
    const { store } = this;
    const rivals = store.ask("rivals");
    if (!rivals) return;
    const help = "Choose a design: the steps of this behaviour are done on it, as far as they can happen there.";
    fill(
      this.body,
      whenKnown(rivals, () => {
        this.fillSelect(rivals);
        if (!store.view.with) return el("p.quiet", help);
        const compared = comparison(store);
        return whenKnown(compared, () => this.report(compared));
      }),
    );
    const blocked = comparison(store)?.blocked;
    if (!blocked || this.chosenAt !== store.view) return;
    this.chosenAt = null;
    store.go({ step: blocked.state });
  }

  fillSelect(rivals) {
    if (this.select.options.length === 0) {
      const option = (rival) => el("option", { value: rival.name, title: rival.question }, rival.name);
      const near = rivals.filter((rival) => rival.near).map(option);
      const far = rivals.filter((rival) => !rival.near).map(option);
      fill(
        this.select,
        el("option", { value: "" }, "…"),
        near.length > 0 && el("optgroup", { label: "of the same files" }, near),
        el("optgroup", { label: "others" }, far),
      );
    }
    this.select.value = this.store.view.with ?? "";
  }

  report(compared) {
    const { design, headline, blocked } = compared;
    const heads = row([null, columnHead(this.store.about.design), columnHead(design)]);
    const rows = compared.rows.map((held) => this.row(held));
    return [
      el("p.headline", { class: blocked && "wrong" }, `${design} ${headline}`),
      blocked && this.guards(design, blocked),
      table("compared", blocked ? [...rows, this.blockedRow(blocked)] : rows, heads),
    ];
  }

  row({ state, recorded, taken }) {
    const same = taken === recorded;
    const there = taken === null ? "is so already" : same ? "the same" : stepText(taken);
    const cells = [recorded === null ? null : stepText(recorded), el("td", { class: same ? "quiet" : "differs" }, there)];
    return this.rowOf(state, cells);
  }

  blockedRow({ state, step }) {
    return this.rowOf(state, [stepText(step), "✗ cannot happen"], "blocked");
  }

  // A row that leads to its state.
  rowOf(state, cells, kind) {
    const { store } = this;
    const current = state === store.view.step && "current";
    const told = { "aria-current": current && "step", "data-key": `state-${state}` };
    const head = rowHead(this.link(state, `Show state ${state}`, { step: state }, told));
    return row([head, ...cells], { class: [kind, current], onclick: () => store.go({ step: state }) });
  }

  guards(design, { kind, attempts, after }) {
    if (!attempts.length) return el("p", `${design} has no action of the kind ${kind}.`);
    return el(
      "section.guards",
      attempts.map(({ step, guards, failure }) => [
        el("h3", stepText(step)),
        el("ul", guards.map(guardLine)),
        failure && el("p.wrong", failure),
      ]),
      after.length > 0 && el("p.quiet", `It could happen after ${after.join(", ")}.`),
    );
  }
}

function guardLine({ value, text, said, place }) {
  const holds = value === true;
  return el(
    "li",
    { class: holds ? "quiet" : "guard-false" },
    mark(holds),
    !holds && el("strong", said),
    el("code", { title: place }, holds ? text : `requires ${text}`),
  );
}

// What is known of the comparison that the view asks for; undefined until it is there.
export function comparison(store) {
  const { branch, with: rival } = store.view;
  return rival ? store.ask("compare", { branch, with: rival }) : undefined;
}

// The state of the rival's that stands beside a state of the behaviour, and whether it is stuck.
export function counterpart(compared, step) {
  const there = compared.rows.filter((row) => row.state <= step).at(-1)?.there ?? 1;
  return { there, stuck: Boolean(compared.blocked && step >= compared.blocked.state) };
}

// Mark the values that two sides show in the same place, and that are not the same. `states` are the
// whole states of both: what is folded on one side only does not differ for that.
export function markDiffering(sides, states) {
  const [own, theirs] = sides.map(shownValues);
  for (const [one, other] of [[own, theirs], [theirs, own]]) {
    for (const [place, { element, text }] of one) markIf(other.get(place)?.text !== text, element);
  }
  const [mine, its] = states.map((state) => leafTexts(state));
  for (const value of sides.flatMap((side) => [...side.querySelectorAll("[data-place]")])) {
    const { place } = value.dataset;
    markIf(mine.get(place) !== its.get(place), value);
  }
}

function markIf(differs, element) {
  element.classList.toggle("differs", differs);
  if (differs) element.setAttribute("aria-description", "differs from the other design");
}

// The values that the picture of a side shows, by their places: in tables by row and column, in logs
// by offset too.
function shownValues(side) {
  const found = new Map();
  const add = (place, element) => {
    const text = (element.querySelector(".value") ?? element).textContent;
    found.set(place, { element, text });
  };
  for (const lanes of side.querySelectorAll("table.lanes")) {
    const heads = [...lanes.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const { cells } of lanes.tBodies[0].rows) {
      const name = (cells[0].querySelector(".actor-name") ?? cells[0]).textContent;
      for (const role of cells[0].querySelectorAll(".role")) add(`${name} role`, role);
      [...cells].slice(1).forEach((cell, i) => {
        const parts = cell.querySelectorAll(".cell");
        parts.forEach((part, offset) => add(`${name} offset ${offset}`, part));
        if (!cell.matches(".lane-cell")) add(`${name} ${heads[i + 1]}`, cell);
      });
    }
  }
  for (const title of side.querySelectorAll(".status dt")) add(title.textContent, title.nextElementSibling);
  return found;
}
