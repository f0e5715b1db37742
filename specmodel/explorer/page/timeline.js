// The strip on top: a column a state, a row an actor, where properties turn false, the loop.

import { el, fill } from "./dom.js";

const NARROWEST = 24;
const WIDEST = 96;
const LANE_HEIGHT = 18;
const HEAD_HEIGHT = 20;
const COLUMNS_BEYOND = 10;

export class StepTimeline extends HTMLElement {
  open(store) {
    this.store = store;
    this.labels = el("div", { class: "strip-labels", "aria-hidden": "true" });
    this.inner = el("div", { class: "strip-inner" });
    this.scroller = el(
      "div",
      {
        class: "strip-scroll",
        role: "listbox",
        tabindex: "0",
        "aria-label": "Timeline of states; left and right arrow keys move along it",
        "aria-orientation": "horizontal",
      },
      this.inner,
    );
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    this.inner.addEventListener("click", (event) => this.pick(event));
    this.inner.addEventListener("pointermove", (event) => event.buttons === 1 && this.pick(event));
    new ResizeObserver(() => this.update()).observe(this.scroller);
    this.append(this.labels, this.scroller);
  }

  pick(event) {
    const x = event.clientX - this.inner.getBoundingClientRect().left;
    const step = Math.floor(x / this.width) + 1;
    const within = step >= 1 && step <= this.store.line.length;
    if (within && step !== this.store.view.step) this.store.go({ step });
  }

  update() {
    const { line, view } = this.store;
    this.rows = this.rowsOf();
    const room = this.scroller.clientWidth || 600;
    this.width = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(room / line.length)));
    const height = HEAD_HEIGHT + this.rows.length * LANE_HEIGHT + (line.loop === null ? 0 : LANE_HEIGHT);
    this.inner.style.width = `${this.width * line.length}px`;
    this.inner.style.height = `${height}px`;
    fill(
      this.labels,
      el("div", { class: "strip-label head" }, "state"),
      line.loop === null ? null : el("div", { class: "strip-label" }, "loop"),
      this.rows.map((row) => el("div", { class: `strip-label ${row.kind}`, title: row.title }, row.title)),
    );
    const moved = this.seen !== `${view.branch}/${view.step}/${this.width}`;
    this.seen = `${view.branch}/${view.step}/${this.width}`;
    if (moved) this.keepInSight();
    this.draw();
  }

  rowsOf() {
    const { about, view } = this.store;
    const actors = about.actors.slice(0, 8).map((name) => ({ kind: "actor", title: name }));
    const rows = actors.length ? actors : [{ kind: "actor", title: "steps", all: true }];
    about.properties.forEach((property, index) => {
      const turned = this.store.turned(index).size > 0;
      const followed = view.follow === property.name;
      if ((turned && property.kind !== "reachable") || followed) {
        rows.push({ kind: "property", title: property.name, index, reachable: property.kind === "reachable" });
      }
    });
    for (const text of view.watch) rows.push({ kind: "watch", title: text, text });
    return rows;
  }

  keepInSight() {
    const left = (this.store.view.step - 1) * this.width;
    const { scrollLeft, clientWidth } = this.scroller;
    if (left < scrollLeft + this.width) this.scroller.scrollLeft = left - 2 * this.width;
    else if (left + 2 * this.width > scrollLeft + clientWidth) {
      this.scroller.scrollLeft = left + 3 * this.width - clientWidth;
    }
  }

  // Only the columns in sight are in the page, so that a long trace scrolls as a short one does.
  draw() {
    const { line, view } = this.store;
    const { scrollLeft, clientWidth } = this.scroller;
    const first = Math.max(1, Math.floor(scrollLeft / this.width) - COLUMNS_BEYOND);
    const last = Math.min(line.length, Math.ceil((scrollLeft + clientWidth) / this.width) + COLUMNS_BEYOND);
    const columns = [];
    for (let number = first; number <= last; number += 1) columns.push(this.column(number));
    fill(this.inner, this.loopBracket(), columns);
    this.scroller.setAttribute("aria-activedescendant", `strip-${view.step}`);
  }

  column(number) {
    const { line, view } = this.store;
    const step = this.store.step(number);
    const broken = this.store.broken(number);
    const selected = number === view.step;
    const says = step ? step.label || "initial state" : "";
    const column = el(
      "div",
      {
        class: `strip-column${selected ? " selected" : ""}${broken.length ? " broken" : ""}`,
        id: `strip-${number}`,
        role: "option",
        "aria-selected": selected ? "true" : "false",
        "aria-posinset": number,
        "aria-setsize": line.length,
        "aria-label": `${number}: ${says}${broken.map((p) => `; ${p.name} turns false`).join("")}`,
        title: `${number}  ${says}`,
        "--x": `${(number - 1) * this.width}px`,
        "--w": `${this.width}px`,
      },
      el("div", { class: "strip-number" }, broken.length ? `✗${number}` : number),
      line.loop === null ? null : el("div", { class: "strip-cell" }),
    );
    for (const row of this.rows) column.append(this.cell(row, step, number));
    return column;
  }

  cell(row, step, number) {
    const made = el("div", { class: `strip-cell ${row.kind}` });
    if (!step) return made;
    if (row.kind === "actor") this.actorMark(made, row, step);
    else if (row.kind === "property") {
      const truth = step.truths[row.index];
      const kinds = { 1: row.reachable ? "met" : "true", 0: row.reachable ? "unmet" : "false", "!": "fails" };
      made.append(el("span", { class: `truth ${kinds[truth] ?? "none"}` }));
      if (truth === "0" && !row.reachable && this.store.turned(row.index).has(number)) made.firstChild.append("✗");
    } else {
      const value = this.store.watched(row.text, number);
      const before = this.store.watched(row.text, number - 1);
      if (value !== undefined && value !== before) made.append(el("span", { class: "watch-value", title: value }, value));
      else made.append(el("span", { class: "watch-same" }));
    }
    return made;
  }

  actorMark(made, row, step) {
    if (step.action === undefined && !step.fault) return;
    const changed = row.all ? step.number > 1 : step.changed.includes(row.title);
    const named = !row.all && (step.named ?? []).includes(row.title);
    if (!changed && !named) return;
    made.append(el("span", { class: `mark ${this.store.hue(step.action)} ${changed ? "did" : "named"}` }));
  }

  loopBracket() {
    const { line } = this.store;
    if (line.loop === null) return null;
    const columns = line.length - line.loop;
    return el(
      "div",
      {
        class: "loop-bracket",
        "--x": `${line.loop * this.width + 3}px`,
        "--w": `${columns * this.width - 6}px`,
        title: `states ${line.loop + 1} to ${line.length} are repeated for ever`,
      },
      el("span", {}, columns > 1 ? `↺ back to ${line.loop + 1}` : "↺"),
    );
  }
}
