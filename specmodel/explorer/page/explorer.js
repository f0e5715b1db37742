// The page: its parts, the keys, and what has to be told apart from the rest.

import { CheckPanel } from "./check.js";
import { ComparePanel, comparison } from "./compare.js";
import { button, el, fill } from "./dom.js";
import { MovesPanel, undoStep } from "./moves.js";
import { StateView } from "./state.js";
import { StepList } from "./steps.js";
import { StepTimeline } from "./timeline.js";
import { WatchPanel } from "./watch.js";
import { WhyPanel } from "./why.js";

const KEYS = [
  ["← → or j k", "one state back or on"],
  ["Home End", "the first state, the last"],
  ["/", "find steps by text; Enter goes to the next"],
  ["n N", "the next, previous state where what is followed changes"],
  ["w", "why a property is false"],
  ["m", "what can happen: go another way"],
  ["c", "compare with another design"],
  ["e", "watch an expression"],
  ["f", "check from the state shown"],
  ["u", "undo the last step of a branch"],
  ["?", "this list"],
];

export class SpecExplorer extends HTMLElement {
  async open(store) {
    this.store = store;
    this.append(el("p", { class: "loading" }, "Loading …"));
    try {
      await store.start();
    } catch (wrong) {
      fill(this, el("p", { class: "loading wrong" }, wrong.message));
      return;
    }
    this.build();
    store.addEventListener("change", () => this.update());
    addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  build() {
    const { store } = this;
    const panels = [
      ["why", "Why", "why-panel", WhyPanel, true],
      ["moves", "What if", "moves-panel", MovesPanel, store.live],
      ["compare", "Compare", "compare-panel", ComparePanel, store.live],
      ["check", "Check", "check-panel", CheckPanel, store.live],
      ["watch", "Watch", "watch-panel", WatchPanel, store.live || store.view.watch.length > 0],
    ].filter((panel) => panel[4]);
    this.timeline = opened(new (defined("step-timeline", StepTimeline))(), store);
    this.steps = opened(new (defined("step-list", StepList))(), store);
    this.state = opened(new (defined("state-view", StateView))(), store);
    this.panels = new Map();
    for (const [name, title, tag, kind] of panels) {
      const panel = opened(new (defined(tag, kind))(), store);
      panel.id = `panel-${name}`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${name}`);
      const tab = button(title, "", () => store.go({ panel: name }), {
        id: `tab-${name}`,
        role: "tab",
        "aria-controls": panel.id,
      });
      this.panels.set(name, { tab, panel });
    }
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    tabs.append(...[...this.panels.values()].map(({ tab }) => tab));
    tabs.addEventListener("keydown", (event) => this.alongTabs(event));
    this.notice = el("div", { class: "notices", role: "status" });
    this.help = this.helpDialog();
    fill(
      this,
      this.header(),
      this.notice,
      el("nav", { class: "strip", "aria-label": "Timeline" }, this.timeline),
      (this.columns = el(
        "div",
        { class: "columns" },
        el("nav", { class: "list", "aria-label": "Steps" }, this.steps),
        el("main", { tabindex: "-1" }, this.state),
        el("aside", { "aria-label": "Questions" }, tabs, [...this.panels.values()].map(({ panel }) => panel)),
      )),
      this.help,
    );
  }

  header() {
    const { store } = this;
    const { about } = store;
    document.title = `${about.design}${about.trace ? ` · ${about.trace}` : ""}`;
    const constants = about.constants.map((c) => el("span", { class: "constant", title: c.doc }, `${c.name}=${c.value}`));
    this.place = el("span", { class: "place", "aria-live": "polite" });
    this.back = button("◀", "Previous state (left arrow)", () => this.move(-1), { "aria-label": "Previous state" });
    this.on = button("▶", "Next state (right arrow)", () => this.move(1), { "aria-label": "Next state" });
    this.find = el("input", {
      type: "search",
      placeholder: "find  /",
      "aria-label": "Find steps by text",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.find.value = store.view.find ?? "";
    this.find.addEventListener("input", () => store.go({ find: this.find.value }));
    this.find.addEventListener("keydown", (event) => this.inFind(event));
    this.finds = el("span", { class: "finds", "aria-live": "polite" });
    return el(
      "header",
      {},
      el(
        "div",
        { class: "title" },
        el("div", { class: "name-line" }, el("h1", {}, about.design), el("p", { class: "constants" }, constants)),
        el("p", { class: "question", title: about.question }, about.question),
      ),
      el(
        "div",
        { class: "controls" },
        el("div", { class: "walk" }, this.back, this.place, this.on),
        el("div", { class: "search" }, this.find, this.finds),
        button("?", "Keys", () => this.help.showModal(), { "aria-label": "Keys" }),
      ),
    );
  }

  helpDialog() {
    const rows = KEYS.map(([keys, does]) => el("tr", {}, el("th", { scope: "row" }, keys), el("td", {}, does)));
    const dialog = el("dialog", { "aria-label": "Keys" });
    dialog.append(
      el("h2", {}, "Keys"),
      el("table", { class: "keys" }, el("tbody", {}, rows)),
      el("p", { class: "quiet" }, "The address of the page holds what it shows: copy it to keep a view."),
      button("Close", "", () => dialog.close()),
    );
    return dialog;
  }

  update() {
    const { store } = this;
    const { view, line, about } = store;
    this.land();
    this.place.textContent = `${view.step} / ${line.length}`;
    this.back.disabled = view.step <= 1;
    this.on.disabled = view.step >= line.length;
    this.searched();
    fill(
      this.notice,
      about.notice && el("p", { class: "notice" }, about.notice),
      store.error && el("p", { class: "notice wrong", role: "alert" }, store.error, !store.step(view.step) && this.wayBack()),
    );
    this.timeline.update();
    this.steps.update();
    const chosen = this.panels.has(view.panel) ? view.panel : this.panels.keys().next().value;
    this.columns.classList.toggle("comparing", chosen === "compare" && Boolean(view.with));
    for (const [name, { tab, panel }] of this.panels) {
      const shown = name === chosen;
      panel.hidden = !shown;
      tab.setAttribute("aria-selected", shown ? "true" : "false");
      tab.tabIndex = shown ? 0 : -1;
      if (shown) panel.update();
    }
    this.state.update();
  }

  // An address may name a behaviour that there is not, or no more.
  wayBack() {
    const { store } = this;
    const start = () => store.go({ branch: store.about.start, step: Infinity, also: [] });
    return button("Show what is there", "", start);
  }

  // A comparison that was asked for opens at the step where it ends.
  land() {
    const { store } = this;
    if (store.view.panel === "compare") comparison(store);
    const landing = store.landing;
    if (!landing) return;
    store.landing = null;
    if (landing.compared.blocked && landing.rival === store.view.with) {
      store.go({ step: landing.compared.blocked.state });
    }
  }

  move(by) {
    const { step } = this.store.view;
    this.store.go({ step: step + by });
  }

  key(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { store } = this;
    const { length } = store.line;
    const inTabs = event.target.closest?.("[role=tablist]");
    const does = {
      ArrowLeft: () => !inTabs && this.move(-1),
      ArrowRight: () => !inTabs && this.move(1),
      ArrowUp: () => event.target.closest?.("step-list") && this.move(-1),
      ArrowDown: () => event.target.closest?.("step-list") && this.move(1),
      j: () => this.move(1),
      k: () => this.move(-1),
      Home: () => !inTabs && store.go({ step: 1 }),
      End: () => !inTabs && store.go({ step: length }),
      "/": () => this.find.focus(),
      n: () => this.nextChange(1),
      N: () => this.nextChange(-1),
      w: () => this.openPanel("why"),
      m: () => this.openPanel("moves"),
      c: () => this.openPanel("compare"),
      e: () => this.openPanel("watch"),
      f: () => this.openPanel("check"),
      u: () => store.live && undoStep(store),
      "?": () => this.help.showModal(),
    }[event.key];
    if (does && does() !== false) event.preventDefault();
  }

  openPanel(name) {
    if (!this.panels.has(name)) return false;
    this.store.go({ panel: name });
    this.panels.get(name).tab.focus();
    return true;
  }

  alongTabs(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const names = [...this.panels.keys()];
    const at = names.findIndex((name) => this.panels.get(name).tab === document.activeElement);
    this.openPanel(names[(at + by + names.length) % names.length]);
    event.preventDefault();
  }

  // The next state where the followed property or expression has another value.
  nextChange(by) {
    const { store } = this;
    const { view, line } = store;
    const value = store.followed();
    if (!value) return;
    for (let n = view.step + by; n >= 1 && n <= line.length; n += by) {
      const [here, before] = [value(n), value(n - 1)];
      if (n > 1 && here !== undefined && before !== undefined && here !== before) {
        store.go({ step: n });
        return;
      }
    }
  }

  searched() {
    const { find } = this.store.view;
    const found = this.store.found;
    this.finds.textContent = find ? `${found.size}` : "";
  }

  inFind(event) {
    if (event.key === "Escape") {
      this.find.value = "";
      this.store.go({ find: "" });
      this.timeline.scroller.focus();
    } else if (event.key === "Enter") {
      const numbers = [...this.store.found].sort((a, b) => a - b);
      if (!numbers.length) return;
      const { step } = this.store.view;
      const next = event.shiftKey
        ? (numbers.filter((n) => n < step).at(-1) ?? numbers.at(-1))
        : (numbers.find((n) => n > step) ?? numbers[0]);
      this.store.go({ step: next });
    }
  }
}

function opened(component, store) {
  component.open(store);
  return component;
}

function defined(tag, kind) {
  if (!customElements.get(tag)) customElements.define(tag, kind);
  return kind;
}
