// The list of steps: number, action, arguments, and what is wrong with a state.

import { el, fill, stepText } from "./dom.js";

const STEP_HEIGHT = 42;
const ROWS_BEYOND = 6;

export class StepList extends HTMLElement {
  open(store) {
    this.store = store;
    this.inner = el("div", { class: "steps-inner" });
    this.scroller = el(
      "div",
      {
        class: "steps-scroll",
        role: "listbox",
        tabindex: "0",
        "aria-label": "Steps; j and k or the arrow keys move along them",
      },
      this.inner,
    );
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.append(this.scroller);
  }

  update() {
    const { line, view } = this.store;
    this.inner.style.height = `${line.length * STEP_HEIGHT}px`;
    const seen = `${view.branch}/${view.step}`;
    if (this.seen !== seen) {
      this.seen = seen;
      const top = (view.step - 1) * STEP_HEIGHT;
      const { scrollTop, clientHeight } = this.scroller;
      if (top < scrollTop) this.scroller.scrollTop = top - STEP_HEIGHT;
      else if (top + STEP_HEIGHT > scrollTop + clientHeight) {
        this.scroller.scrollTop = top + 2 * STEP_HEIGHT - clientHeight;
      }
    }
    this.draw();
  }

  draw() {
    const { line, view } = this.store;
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(1, Math.floor(scrollTop / STEP_HEIGHT) - ROWS_BEYOND);
    const last = Math.min(line.length, Math.ceil((scrollTop + clientHeight) / STEP_HEIGHT) + ROWS_BEYOND);
    const rows = [];
    for (let number = first; number <= last; number += 1) rows.push(this.row(number));
    fill(this.inner, rows);
    this.scroller.setAttribute("aria-activedescendant", `step-${view.step}`);
  }

  row(number) {
    const { line, view } = this.store;
    const step = this.store.step(number);
    const selected = number === view.step;
    const broken = this.store.broken(number).map((property) => property.name);
    const kinds = ["step-row"];
    if (selected) kinds.push("selected");
    if (broken.length) kinds.push("broken");
    if (this.store.found.has(number)) kinds.push("found");
    return el(
      "div",
      {
        class: kinds.join(" "),
        id: `step-${number}`,
        role: "option",
        "aria-selected": selected ? "true" : "false",
        "aria-posinset": number,
        "aria-setsize": line.length,
        "--y": `${(number - 1) * STEP_HEIGHT}px`,
        onclick: () => this.store.go({ step: number }),
      },
      el("span", { class: "step-number" }, number),
      el("span", { class: step?.action ? `step-hue ${this.store.hue(step.action)}` : "step-hue" }),
      el(
        "span",
        { class: "step-label", title: step?.label },
        step ? this.label(step, broken) : "…",
      ),
    );
  }

  label(step, broken) {
    const [name, inner] = step.label ? stepText(step.label) : [el("span", { class: "step-name" }, "initial state"), ""];
    const wrong = broken.length > 1 ? `✗ ${broken.length} properties` : broken.length ? `✗ ${broken[0]}` : "";
    return [
      name,
      el(
        "span",
        { class: "step-second" },
        inner,
        wrong && el("span", { class: "step-broken", title: broken.join(", ") }, wrong),
        step.fault && el("span", { class: "step-broken", title: step.fault }, "⚠ not allowed"),
      ),
    ];
  }
}
