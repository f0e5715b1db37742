// The state shown: how it was reached, its picture, what changed, all of it; a rival's beside it.

import { ActionView } from "./action.js";
import { changeList } from "./changes.js";
import { comparison, counterpart, markDiffering } from "./compare.js";
import { el, fill, stepText, unfold } from "./dom.js";
import { opened, outdated, Part } from "./part.js";
import { hasPicture, picture } from "./picture.js";
import { stateTree } from "./tree.js";

export class StateView extends Part {
  build() {
    this.unfolded = { changes: true };
    this.addEventListener("unfolded", () => this.markSides());
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
    if (outdated(this, branch, frame, compared, beside?.frame, store.shownVariables.join(" "))) {
      this.compared = beside?.frame && [frame.state, beside.frame.state];
      this.named = el("div");
      const own = el("div.side", this.named, this.parts(frame, "own"));
      fill(this, el("div.sides", { class: beside && "two" }, own, beside && this.beside(compared.design, beside)));
      this.markSides();
    }
    // The steps may come after the state; what a person has unfolded of that by then stays.
    const known = [store.step(step), store.step(step - 1), store.line.loop];
    if (outdated(this.named, ...known)) fill(this.named, this.heading(step, beside));
    this.querySelector("action-view")?.update();
    this.setAttribute("aria-label", `State ${step} of ${branch}`);
  }

  // What differs between two designs is marked once both are there.
  markSides() {
    const sides = [...this.querySelectorAll(".side")];
    if (sides.length === 2 && this.compared) markDiffering(sides, this.compared);
  }

  // Until a state is there nothing of another one is shown in its place.
  waiting(step) {
    const { error, line } = this.store;
    const known = [this.store.step(step), this.store.step(step - 1)];
    if (!outdated(this, line.branch, step, error, ...known)) return;
    const shown = !error || known[0];
    fill(this, shown && el("div.side", this.heading(step, null), !error && el("p.quiet", "Loading …")));
  }

  heading(number, beside) {
    const { store } = this;
    const { about, line } = store;
    const step = store.step(number);
    const how = step && el("span.state-step", step.label ? [" after ", stepText(step.label)] : " initial");
    return [
      stateTitle(beside && about.design, number, how),
      step?.fault && el("p.wrong", `⚠ ${step.fault}`),
      store.broken(number).map(({ name, summary }) =>
        el("p.violation", "✗ ", el("strong", name), " turns false in this state", summary && `: ${summary}`),
      ),
      number === line.length && line.loop !== null && el("p.loop-note", loopText(line)),
    ];
  }

  parts({ number, state, picture: drawn, changes, abstract, since }, side) {
    const draws = hasPicture(drawn);
    const { store } = this;
    const shows = (name) => store.shows(name);
    const told = { shows, since: (name) => side === "own" && since && this.since(since[name], number) };
    return [
      draws && picture(drawn),
      number > 1 && this.fold(`changes ${side}`, "Changed by this step", true, () => changeList(changes, shows)),
      number > 1 && side === "own" && this.fold("action", "The action", false, () => this.action()),
      this.fold(`whole ${side}`, "The whole state", !draws, () => stateTree(state, changes, told)),
      abstract?.map((one) => this.abstractState(one, side)),
    ];
  }

  action() {
    const made = opened("action-view", ActionView, this.store);
    made.update();
    return made;
  }

  // The state in which a variable got its value, which is a step away if it is another one.
  since(first, number) {
    if (first === undefined || first === number) return null;
    const title = `It has had this value since state ${first}: go there`;
    return this.link(`since ${first}`, title, { step: first }, { class: "since" });
  }

  // What the state stands for in a design that this one refines, and the step to it there.
  abstractState({ name, step, state, changes }, side) {
    const title = ["In ", el("strong", name), step && `: ${step}`];
    return this.fold(`${name} ${side}`, title, true, () => stateTree(state, changes));
  }

  fold(key, title, open, body) {
    const made = el("details.fold", el("summary", title));
    made.open = this.unfolded[key] ?? open;
    if (made.open) made.append(body());
    made.addEventListener("toggle", () => {
      if (this.unfolded[key] === made.open) return;
      this.unfolded[key] = made.open;
      if (made.open && made.children.length === 1) unfold(made, body());
    });
    return made;
  }

  // The rival's state that stands beside the one shown, and its frame when that is there.
  rival(compared, step) {
    const { there, stuck } = counterpart(compared, step);
    const { design, branch } = compared;
    const frames = this.store.ask("rival", { with: design, branch, from: there, count: 1 });
    return { there, stuck, frame: frames?.[0] };
  }

  beside(design, { there, stuck, frame }) {
    return el(
      "div.side",
      stateTitle(design, there),
      stuck && el("p.violation", "✗ The step cannot happen here: it stays in this state."),
      frame && [this.parts(frame, "rival"), el("p.quiet", "Underlined: not the same in both designs.")],
    );
  }
}

function stateTitle(design, number, how) {
  return el("h2", design && el("span.quiet", `${design} `), el("span.state-number", `State ${number}`), how);
}

function loopText({ loop, length }) {
  if (loop === length - 1) return "↺ and here it stays, for ever";
  return `↺ and from here back to state ${loop + 1}, for ever`;
}
