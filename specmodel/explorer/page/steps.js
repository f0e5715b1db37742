// The list of steps: number, action, arguments, and what is wrong with a state.

import { el, stepText } from "./dom.js";
import { StateList } from "./part.js";

export class StepList extends StateList {
  name = "step";
  axis = ["scrollTop", "clientHeight", "height"];
  size = 42;
  margin = 0;
  beyond = 6;

  build() {
    this.append(this.scrollable("Steps; j and k or the arrow keys move along them"));
  }

  inputs(number) {
    return [...super.inputs(number), this.store.found.has(number)];
  }

  item(number) {
    const { store } = this;
    const step = store.step(number);
    return this.option(
      number,
      { class: ["step-row", store.found.has(number) && "found"], onclick: () => store.go({ step: number }) },
      el("span.step-number", number),
      el("span.step-hue", { "--hue": step?.action && store.hue(step.action) }),
      el("span.step-label", { title: step?.label }, step ? this.label(step) : "…"),
    );
  }

  label(step) {
    const broken = this.store.broken(step.number).map((property) => property.name);
    const [name, inner] = step.label ? stepText(step.label) : [el("span.step-name", "initial state"), ""];
    const wrong = broken.length > 1 ? `${broken.length} properties` : broken[0];
    return [
      name,
      el(
        "span.step-second",
        inner,
        wrong && el("span.step-broken", { title: broken.join(", ") }, `✗ ${wrong}`),
        step.fault && el("span.step-broken", { title: step.fault }, "⚠ not allowed"),
      ),
    ];
  }
}
