// The state shown: how it was reached, its picture, what changed, all of it; a rival's beside it.

import { changeList } from "./changes.js";
import { comparison, counterpart } from "./compare.js";
import { el, fill, outdated, stepText } from "./dom.js";
import { hasPicture, picture } from "./picture.js";
import { stateTree } from "./tree.js";

export class StateView extends HTMLElement {
  open(store) {
    this.store = store;
    this.unfolded = { changes: true };
  }

  update() {
    const { store } = this;
    const { step, branch } = store.view;
    const frame = store.frame(step);
    if (!frame) {
      this.waiting(step);
      return;
    }
    const compared = store.view.panel === "compare" ? comparison(store) : undefined;
    const beside = compared && !compared.error ? this.rival(compared, step) : null;
    if (outdated(this, branch, frame, compared, beside?.frame)) {
      this.named = el("div");
      const own = el("div", { class: "side" }, this.named, this.parts(frame, "own"));
      fill(this, el("div", { class: beside ? "sides two" : "sides" }, own, beside && this.beside(compared, beside)));
    }
    // The steps may come after the state; what a person has unfolded of that by then stays.
    const known = [store.step(step), store.step(step - 1), store.line.loop];
    if (outdated(this.named, ...known)) fill(this.named, this.heading(step, beside));
    this.setAttribute("aria-label", `State ${step} of ${branch}`);
  }

  // Until a state is there nothing of another one is shown in its place.
  waiting(step) {
    const { error, line } = this.store;
    const known = [this.store.step(step), this.store.step(step - 1)];
    if (!outdated(this, line.branch, step, error, ...known)) return;
    if (error && !known[0]) fill(this);
    else fill(this, el("div", { class: "side" }, this.heading(step, null), !error && el("p", { class: "quiet" }, "Loading …")));
  }

  heading(number, beside) {
    const { store } = this;
    const step = store.step(number);
    const broken = store.broken(number);
    return [
      el(
        "h2",
        {},
        beside && el("span", { class: "quiet" }, `${store.about.design} `),
        el("span", { class: "state-number" }, `State ${number}`),
        step && el("span", { class: "state-step" }, step.label ? [" after ", stepText(step.label)] : " initial"),
      ),
      step?.fault && el("p", { class: "wrong" }, `⚠ ${step.fault}`),
      broken.map((property) =>
        el("p", { class: "violation" }, "✗ ", el("strong", {}, property.name), " turns false in this state", property.summary && `: ${property.summary}`),
      ),
      number === store.line.length && store.line.loop !== null && el("p", { class: "loop-note" }, loopText(store.line)),
    ];
  }

  parts(frame, side) {
    const drawn = hasPicture(frame.picture);
    return [
      drawn && picture(frame.picture),
      frame.number > 1 && this.fold(`changes ${side}`, "Changed by this step", true, () => changeList(frame.changes)),
      this.fold(`whole ${side}`, "The whole state", !drawn, () => stateTree(frame.state, frame.changes)),
    ];
  }

  fold(key, title, open, body) {
    const made = el("details", { class: "fold" }, el("summary", {}, title));
    made.open = this.unfolded[key] ?? open;
    if (made.open) made.append(body());
    made.addEventListener("toggle", () => {
      if (this.unfolded[key] === made.open) return;
      this.unfolded[key] = made.open;
      if (made.open && made.children.length === 1) made.append(body());
    });
    return made;
  }

  // The rival's state that stands beside the one shown, and its frame when that is there.
  rival(compared, step) {
    const { store } = this;
    const { there, stuck } = counterpart(compared, step);
    const name = compared.design;
    const frames = store.answer(`rival ${name} ${compared.branch} ${there}`, () =>
      store.source.ask("rival", { with: name, branch: compared.branch, from: there, count: 1 }),
    );
    return { there, stuck, frame: frames && !frames.error ? frames[0] : null };
  }

  beside(compared, { there, stuck, frame }) {
    return el(
      "div",
      { class: "side" },
      el(
        "h2",
        {},
        el("span", { class: "quiet" }, `${compared.design} `),
        el("span", { class: "state-number" }, `State ${there}`),
      ),
      stuck && el("p", { class: "violation" }, "✗ The step cannot happen here: it stays in this state."),
      frame && this.parts(frame, "rival"),
    );
  }
}

function loopText({ loop, length }) {
  if (loop === length - 1) return "↺ and here it stays, for ever";
  return `↺ and from here back to state ${loop + 1}, for ever`;
}
