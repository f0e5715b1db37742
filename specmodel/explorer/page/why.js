// Why a property is false in the state shown: its truth as a tree, and who wrote what it read.

import { el, fill, outdated, stepText } from "./dom.js";

export class WhyPanel extends HTMLElement {
  open(store) {
    this.store = store;
  }

  update() {
    const { store } = this;
    const { branch, step } = store.view;
    const { lasso } = store.about;
    const forEver = lasso && branch === store.about.start ? this.forEver(lasso) : null;
    if (!store.about.properties.length && store.about.notice) {
      fill(this, el("p", { class: "quiet" }, "Without its design nothing is known of this trace but its states."));
      return;
    }
    const found = store.answer(`why ${branch} ${step}`, () => store.source.why(branch, step));
    this.inert = found === undefined; // what is told is of the state before
    if (found === undefined) return;
    if (!outdated(this, found, store.view.follow, store.step(1), store.step(step))) return;
    if (found.error || found.failure) {
      fill(this, el("p", { class: "wrong" }, found.error ?? `The spec fails here: ${found.failure}`));
      return;
    }
    const { truths } = store.step(step) ?? { truths: "" };
    const told = store.about.properties.map((property, i) => ({ ...property, truth: truths[i] }));
    const wrong = found.properties;
    const held = told.filter((p) => p.truth === "1");
    const unmet = told.filter((p) => p.truth === "0" && p.kind === "reachable");
    fill(
      this,
      forEver,
      wrong.map((p) => this.property(p, found.written)),
      wrong.length === 0 && !forEver && el("p", { class: "fine" }, `✓ No property is false in state ${step}.`),
      held.length > 0 && el("section", {}, el("h3", {}, "Holds here"), held.map((p) => this.holding(p))),
      unmet.map((p) => this.unmet(p)),
    );
  }

  // What a behaviour breaks by going on for ever as it does.
  forEver(lasso) {
    return el(
      "section",
      { class: "false-property" },
      el("h3", {}, el("span", { class: "mark-false" }, "✗ "), lasso.property, " is false of this behaviour"),
      lasso.lines.map((line) => el("p", { class: "told" }, line)),
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

  property(property, written) {
    const about = this.store.about.properties.find((p) => p.name === property.name);
    return el(
      "section",
      { class: "false-property" },
      el("h3", {}, el("span", { class: "mark-false" }, "✗ "), this.name(property.name), " is false"),
      about?.summary && el("p", { class: "quiet" }, about.summary),
      this.reason(property, written),
    );
  }

  reason(property, written) {
    return [
      el("p", { class: "said" }, sentence(property.why.said)),
      el("ul", { class: "truth-tree" }, this.node(property.why, written)),
    ];
  }

  // A state that is looked for and is not this one; why not is asked for when someone wants to know.
  unmet(property) {
    const { store } = this;
    const words = `${property.name} is not met here`;
    if (!store.live) return el("p", { class: "quiet" }, `· ${words}`);
    const { branch, step } = store.view;
    const made = el("details", { class: "unmet" }, el("summary", {}, words));
    made.addEventListener(
      "toggle",
      async () => {
        try {
          const found = await store.source.why(branch, step, property.name);
          made.append(el("div", {}, this.reason(found.properties[0], found.written)));
        } catch (wrong) {
          made.append(el("p", { class: "wrong" }, wrong.message));
        }
      },
      { once: true },
    );
    return made;
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
