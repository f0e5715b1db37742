// The action of the step to a state: what its author says of it, its guards with their values, and
// its source.

import { branchPrefix } from "./address.js";
import { el, fill, mark } from "./dom.js";
import { outdated, Part } from "./part.js";

export class ActionView extends Part {
  update() {
    const { store } = this;
    const { branch, step } = store.view;
    const taken = store.step(step);
    const action = store.about.actions.find(({ name }) => name === taken?.action);
    const asked = store.drives && action && taken.binding !== undefined;
    const before = { branch: branchPrefix(branch, step - 1), state: step - 1, action: action?.name };
    const told = asked ? store.ask("reasons", before) : [];
    const guards = told?.find?.(({ binding }) => binding === taken.binding)?.guards ?? [];
    if (!outdated(this, action, told)) return;
    fill(
      this,
      action?.summary && el("p", action.summary),
      guards.length > 0 && el("ul.filled", { "aria-label": "Guards, in the state before" }, guards.map(filled)),
      action?.source && el("pre.source.scroll-x", { tabindex: "0", "aria-label": "Source" }, el("code", action.source)),
      action?.place && el("p.quiet", action.place),
    );
  }
}

// A guard, and what it says with the values of the state.
function filled({ text, said, place, value }) {
  return el("li", mark(value === true), el("code", { title: place }, text), said && el("span.quiet", ` ${said}`));
}
