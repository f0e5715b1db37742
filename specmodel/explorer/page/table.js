// The states as a table of their variables, and which of the variables are shown.

import { changesOf } from "./changes.js";
import { el, fill, plural } from "./dom.js";
import { opened, outdated, Part, StateList } from "./part.js";
import { short } from "./tree.js";

export class TablePanel extends Part {
  build() {
    this.filter = el("input", {
      type: "search",
      id: "only",
      placeholder: "part of a name",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.store.go({ only: this.filter.value.trim() }),
    });
    this.filter.value = this.store.view.only ?? "";
    this.boxes = el("div.variables", { role: "group", "aria-label": "Variables that are shown" });
    this.rows = opened("state-table", StateTable, this.store);
    fill(this, el("label.field", { for: "only" }, "Variables with ", this.filter), this.boxes, this.rows);
  }

  update() {
    const { store } = this;
    const { hide } = store.view;
    if (document.activeElement !== this.filter) this.filter.value = store.view.only ?? "";
    if (outdated(this.boxes, store.variables.join(" "), hide.join(" "))) {
      fill(this.boxes, store.variables.map((name) => this.box(name)));
    }
    this.rows.update();
    this.rows.settle();
  }

  box(name) {
    const { hide } = this.store.view;
    const hidden = hide.includes(name);
    const change = { hide: hidden ? hide.filter((other) => other !== name) : [...hide, name] };
    const input = el("input", { type: "checkbox", "data-key": `box ${name}`, onchange: () => this.store.go(change) });
    input.checked = !hidden;
    return el("label.box", input, name);
  }
}

// A row for each state, a column for each variable that is shown: what the step changed in it, or
// else its value. Rows out of sight are not there.
export class StateTable extends StateList {
  name = "cells";
  axis = ["scrollTop", "clientHeight", "height"];
  size = 26;
  margin = 2;
  beyond = 8;

  build() {
    this.heads = el("div.cells-heads", { "aria-hidden": "true" });
    const list = this.scrollable("States, with the values of their variables; j and k move along them");
    this.inner.before(this.heads);
    this.append(list);
  }

  // Its size changes when the panel is hidden, too: then there is nothing to draw.
  update() {
    if (this.closest("[hidden]")) return;
    const { shownVariables: names } = this.store;
    this.style.setProperty("--columns", String(Math.max(1, names.length)));
    if (outdated(this.heads, names.join(" "))) fill(this.heads, el("span"), names.map((name) => el("span", name)));
    super.update();
  }

  draw() {
    const { store } = this;
    super.draw();
    const numbers = [...this.items.keys()];
    if (numbers.length) store.want("frames", Math.min(...numbers), Math.max(...numbers));
  }

  inputs(number) {
    return [this.store.frame(number), this.store.shownVariables.join(" ")];
  }

  item(number) {
    const { store } = this;
    const frame = store.frame(number);
    const values = new Map(frame?.state.parts);
    const cells = store.shownVariables.map((name) => {
      const text = values.has(name) ? short(values.get(name)) : "…";
      const changed = frame ? changesOf(name, frame.changes) : "";
      const title = changed ? `${changed}\n${name} = ${text}` : `${name} = ${text}`;
      return el("span", { class: changed && "changed", title }, changed || text);
    });
    const label = `State ${number}: ${plural(frame?.changes.length ?? 0, "change")}`;
    const told = { class: "cells-row", "aria-label": label, onclick: () => store.go({ step: number }) };
    return this.option(number, told, el("span.cells-number", number), cells);
  }
}
