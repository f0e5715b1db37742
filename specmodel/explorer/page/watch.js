// Expressions over the state, with their values along the behaviour.

import { el, fill, row, rowHead, table, valueText } from "./dom.js";
import { Part } from "./part.js";

export class WatchPanel extends Part {
  build() {
    const free = { type: "text", id: "watch", placeholder: "len(log[r1])", autocomplete: "off", spellcheck: "false" };
    this.input = el("input", free);
    this.body = el("div", { "aria-live": "polite" });
    const form = el(
      "form.actions",
      { onsubmit: (event) => this.add(event) },
      el("label.field.wide", { for: "watch" }, "Watch ", this.input),
      el("button", { type: "submit" }, "Add"),
    );
    fill(this, this.store.live && form, this.body);
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
    const { watch } = this.store.view;
    const help = "An expression over the state in the words of the spec, such as len(log[r1]) or replica[r2].epoch == quorum.epoch. It gets a row in the timeline.";
    fill(this.body, watch.length ? table("watches", watch.map((text) => this.watched(text))) : el("p.quiet", help));
  }

  watched(text) {
    const { store } = this;
    const { watch, step, follow } = store.view;
    const { error } = store.watch(text);
    const before = error ? undefined : store.watched(text, step - 1);
    const value = valueText(before, error ?? store.watched(text, step) ?? "…");
    const dropped = { watch: watch.filter((other) => other !== text), follow: follow === text ? "" : follow };
    const drop = `Watch ${text} no longer`;
    return row([
      rowHead(this.follower(text, "Follow it: n goes to the next state where it changes")),
      el("td", { class: error && "wrong" }, value),
      store.live && this.link("×", drop, dropped, { "aria-label": drop }),
    ]);
  }
}
