// Why a property is false in the state shown: its truth as a tree, and who wrote what it read.

import { el, fill, outdated, stepText } from "./dom.js";

export class WhyPanel extends HTMLElement {
  open(store) {
    this.store = store;
  }

  update() {
    const { store } = this;
    const { branch, step } = store.view;
    if (!store.about.properties.length) {
      fill(this, el("p", { class: "quiet" }, "Without its design nothing is known of this trace but its states."));
      return;
    }
    const found = store.answer(`why ${branch} ${step}`, () => store.source.why(branch, step));
    if (found === undefined) return;
    if (!outdated(this, found, store.view.follow, store.step(1), store.step(step))) return;
    if (found.error || found.failure) {
      fill(this, el("p", { class: "wrong" }, found.error ?? `The spec fails here: ${found.failure}`));
      return;
    }
    const wrong = found.properties.filter((p) => !p.holds && p.kind !== "reachable");
    const unmet = found.properties.filter((p) => !p.holds && p.kind === "reachable");
    const held = found.properties.filter((p) => p.holds);
    fill(
      this,
      wrong.map((p) => this.property(p, found.written, true)),
      wrong.length === 0 && el("p", { class: "fine" }, `✓ No property is false in state ${step}.`),
      held.length > 0 && el("section", {}, el("h3", {}, "Holds here"), held.map((p) => this.holding(p))),
      unmet.map((p) => this.property(p, found.written, false)),
    );
  }

  holding(property) {
    const words = property.kind === "reachable" ? "is met" : "";
    return el("p", { class: "holding" }, el("span", { class: "mark-true" }, "✓ "), this.name(property.name), ` ${words}`);
  }

  name(name) {
    const { store } = this;
    const about = store.about.properties.find((p) => p.name === name);
    const followed = store.view.follow === name;
    return el(
      "button",
      {
        type: "button",
        class: "name",
        title: `${about?.summary ?? ""}\nFollow it in the timeline; n goes to the next state where it changes`,
        "aria-pressed": followed ? "true" : "false",
        onclick: () => store.go({ follow: followed ? "" : name }),
      },
      name,
    );
  }

  property(property, written, open) {
    const words = property.kind === "reachable" ? "is not met here" : "is false";
    const about = this.store.about.properties.find((p) => p.name === property.name);
    const body = !property.why ? [] : [
      about?.summary && el("p", { class: "quiet" }, about.summary),
      el("p", { class: "said" }, sentence(property.why.said)),
      el("ul", { class: "truth-tree" }, this.node(property.why, written)),
    ];
    const mark = el("span", { class: open ? "mark-false" : "mark-none" }, open ? "✗ " : "· ");
    const title = el("h3", {}, mark, this.name(property.name), ` ${words}`);
    if (open) return el("section", { class: "false-property" }, title, body);
    if (!body.length) return el("p", { class: "quiet" }, `· ${property.name} ${words}`);
    return el("details", {}, el("summary", {}, `· ${property.name} ${words}`), body);
  }

  node(why, written) {
    const truth = typeof why.value === "boolean";
    const mark = truth ? (why.value ? "✓" : "✗") : "";
    const bound = Object.entries(why.with).map(([name, value]) => `${name} = ${value}`);
    const kind = truth ? (why.value ? "is-true" : "is-false") : "is-value";
    const line = el(
      "div",
      { class: `truth-line ${kind}` },
      truth && el("span", { class: why.value ? "mark-true" : "mark-false" }, `${mark} `),
      el("code", { title: why.place }, why.text),
      !truth && el("span", { class: "equals" }, ` = ${why.value}`),
      bound.length > 0 && el("span", { class: "witness" }, `with ${bound.join(", ")}`),
    );
    const reads = why.parts.length ? [] : why.reads.map((place) => this.writer(place, written));
    const parts = why.parts.filter((part) => part.text !== String(part.value) || part.parts.length);
    return el(
      "li",
      {},
      line,
      reads.length > 0 && el("div", { class: "writers" }, reads),
      parts.length > 0 && el("ul", {}, parts.map((part) => this.node(part, written))),
    );
  }

  // Since which state a place has the value that it has.
  writer(place, written) {
    const number = written[place];
    if (number === undefined) return null;
    if (number === 1) return el("div", {}, el("code", {}, place), " is so from the start");
    const step = this.store.step(number);
    return el(
      "div",
      {},
      el("code", {}, place),
      " since ",
      el(
        "button",
        { type: "button", class: "link", onclick: () => this.store.go({ step: number }) },
        `state ${number}`,
      ),
      step && [", ", el("span", { class: "step-inline" }, stepText(step.label))],
    );
  }
}

function sentence(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "";
}
