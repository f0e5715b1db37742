// Expressions over the state, with their values along the behaviour.

import { button, el, fill } from "./dom.js";

export class WatchPanel extends HTMLElement {
  open(store) {
    this.store = store;
    this.input = el("input", {
      type: "text",
      id: "watch",
      placeholder: "len(log[r1])",
      autocomplete: "off",
      spellcheck: "false",
    });
    const form = el(
      "form",
      { class: "actions", onsubmit: (event) => this.add(event) },
      el("label", { class: "field wide", for: "watch" }, "Watch ", this.input),
      el("button", { type: "submit" }, "Add"),
    );
    this.body = el("div", { "aria-live": "polite" });
    if (store.live) this.append(form);
    this.append(this.body);
  }

  add(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (!text) return;
    this.input.value = "";
    const { watch } = this.store.view;
    if (!watch.includes(text)) this.store.go({ watch: [...watch, text], follow: text });
  }

  update() {
    const { watch, step, follow } = this.store.view;
    if (!watch.length) {
      fill(this.body, el("p", { class: "quiet" }, "An expression over the state in the words of the spec, such as len(log[r1]) or replica[r2].epoch == quorum.epoch. It gets a row in the timeline."));
      return;
    }
    const rows = watch.map((text) => {
      const known = this.store.watch(text);
      const value = known.error ?? this.store.watched(text, step) ?? "…";
      const before = this.store.watched(text, step - 1);
      const changed = !known.error && before !== undefined && before !== value;
      return el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          button(text, "Follow it: n goes to the next state where it changes", () => this.store.go({ follow: follow === text ? "" : text }), {
            class: "name",
            "aria-pressed": follow === text ? "true" : "false",
          }),
        ),
        el("td", { class: known.error ? "wrong" : "" }, changed && [el("span", { class: "was" }, before), " → "], el("span", { class: changed ? "value changed" : "value" }, value)),
        this.store.live && el("td", {}, button("×", `Watch ${text} no longer`, () => this.drop(text), { class: "link", "aria-label": `Watch ${text} no longer` })),
      );
    });
    fill(this.body, el("table", { class: "watches" }, el("tbody", {}, rows)));
  }

  drop(text) {
    const { watch, follow } = this.store.view;
    this.store.go({ watch: watch.filter((other) => other !== text), follow: follow === text ? "" : follow });
  }
}
