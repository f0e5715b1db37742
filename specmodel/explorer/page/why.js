// Why a property is false in the state shown: its truth as a tree, and who wrote what it read.

import { el, fill, mark, stepText, whenKnown } from "./dom.js";
import { Part } from "./part.js";

export class WhyPanel extends Part {
  update() {
    const { store } = this;
    const { branch, step, follow } = store.view;
    if (!store.about.properties.length && store.about.notice) {
      fill(this, el("p.quiet", "Without its design nothing is known of this trace but its states."));
      return;
    }
    const found = store.ask("why", { branch, state: step });
    this.redraw(found, [follow, store.step(1), store.step(step)], () => whenKnown(found, () => this.report(found)));
  }

  report({ failure, properties, written }) {
    if (failure) return el("p.wrong", `The spec fails here: ${failure}`);
    const { about, view } = this.store;
    const truths = this.store.step(view.step)?.truths ?? "";
    const held = about.properties.filter((_, i) => truths[i] === "1");
    const unmet = about.properties.filter((p, i) => truths[i] === "0" && p.kind === "reachable");
    const lasso = view.branch === about.start && about.lasso;
    return [
      lasso && this.forEver(lasso),
      properties.map((p) => this.property(p, written)),
      !properties.length && !lasso && el("p.fine", `✓ No property is false in state ${view.step}.`),
      held.length > 0 && el("section", el("h3", "Holds here"), held.map((p) => this.holding(p))),
      unmet.map((p) => this.unmet(p)),
      this.undecided(about.temporal.filter((p) => p.name !== (lasso && lasso.property))),
    ];
  }

  // What a behaviour breaks by going on for ever as it does.
  forEver({ property, lines }) {
    return el(
      "section.false-property",
      el("h3", mark(false), property, " is false of this behaviour"),
      lines.map((line) => el("p.told", line)),
    );
  }

  // Properties that no state decides, as they are about behaviours that never end.
  undecided(temporal) {
    const names = temporal.map(({ name, kind }) => `${name} (${kind})`).join(", ");
    return names && el("p.quiet", `About whole behaviours, decided by specmodel check: ${names}`);
  }

  holding({ name, kind }) {
    return el("p.holding", mark(true), this.name(name), kind === "reachable" ? " is met" : " ");
  }

  name(name) {
    const hint = "Follow it in the timeline; n goes to the next state where it changes";
    return this.follower(name, `${this.summary(name)}\n${hint}`);
  }

  summary(name) {
    return this.store.about.properties.find((property) => property.name === name)?.summary ?? "";
  }

  property({ name, why }, written) {
    const summary = this.summary(name);
    return el(
      "section.false-property",
      el("h3", mark(false), this.name(name), " is false"),
      summary && el("p.quiet", summary),
      this.reason(why, written),
    );
  }

  reason(why, written) {
    return [el("p.said", why.said), el("ul.truth-tree", this.node(why, written))];
  }

  // A state that is looked for and is not this one; why not is asked for when someone wants to know.
  unmet({ name }) {
    const { source, live, view } = this.store;
    const words = `${name} is not met here`;
    if (!live) return el("p.quiet", `· ${words}`);
    const made = el("details.unmet", el("summary", words));
    const unfold = async () => {
      if (!made.open || made.children.length > 1) return;
      try {
        const found = await source.ask("why", { branch: view.branch, state: view.step, property: name });
        made.append(el("div", this.reason(found.properties[0].why, found.written)));
      } catch (wrong) {
        const failed = el("p.wrong", wrong.message);
        made.append(failed);
        made.addEventListener("toggle", () => failed.remove(), { once: true });
      }
    };
    made.addEventListener("toggle", unfold);
    return made;
  }

  node(why, written) {
    const truth = typeof why.value === "boolean";
    const bound = Object.entries(why.with).map(([name, value]) => `${name} = ${value}`);
    const reads = why.parts.length ? [] : why.reads.map((place) => this.writer(place, written[place]));
    const parts = why.parts.filter((part) => part.text !== String(part.value) || part.parts.length);
    return el(
      "li",
      el(
        "div.truth-line",
        { class: truth ? `is-${why.value}` : "is-value" },
        truth && mark(why.value),
        el("code", { title: why.place }, why.text),
        !truth && el("span.equals", ` = ${why.value}`),
        bound.length > 0 && el("span.witness", `with ${bound.join(", ")}`),
      ),
      reads.length > 0 && el("div.writers", reads),
      parts.length > 0 && el("ul", parts.map((part) => this.node(part, written))),
    );
  }

  // Since which state a place has the value that it has.
  writer(place, number) {
    if (number === undefined) return null;
    if (number === 1) return el("div", el("code", place), " is so from the start");
    const step = this.store.step(number);
    return el(
      "div",
      el("code", place),
      " since ",
      this.link(`state ${number}`, null, { step: number }),
      step && [", ", el("span.step-inline", stepText(step.label))],
    );
  }
}
