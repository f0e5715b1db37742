// The page: its parts, the keys, and what has to be told apart from the rest.

import { quoted } from "./address.js";
import { ChartPanel } from "./chart.js";
import { CheckPanel, VerdictsPanel } from "./check.js";
import { chooser } from "./choose.js";
import { ComparePanel } from "./compare.js";
import { button, el, fill, row, rowHead, table } from "./dom.js";
import { MovesPanel, undoStep } from "./moves.js";
import { opened } from "./part.js";
import { StateView } from "./state.js";
import { StepList } from "./steps.js";
import { TablePanel } from "./table.js";
import { StepTimeline } from "./timeline.js";
import { WatchPanel } from "./watch.js";
import { WhyPanel } from "./why.js";

// Keys, what they do, and the panel that they open.
const KEYS = [
  ["← → or j k", "one state back or on"],
  ["Home End", "the first state, the last"],
  ["/", "find steps by text; Enter goes to the next"],
  ["n N", "the next, previous state where what is followed changes"],
  ["v", "the verdicts of the whole design", "verdicts"],
  ["w", "why a property is false", "why"],
  ["m", "what can happen: go another way", "moves"],
  ["c", "compare with another design", "compare"],
  ["s", "who spoke to whom: the chart of messages", "chart"],
  ["t", "the states as a table of their variables", "table"],
  ["e", "watch an expression", "watch"],
  ["f", "check from the state shown", "check"],
  ["u", "undo the last step of a branch"],
  ["p", "play: a state a second, until p or the end"],
  ["?", "this guide"],
];

// Signs of the page, and what each stands for.
const LEGEND = [
  ["●", "the step changed a part of the state that belongs to the actor"],
  ["○", "the actor only takes part in the step"],
  ["♛ ♕", "the actor leads; it only believes so"],
  ["hatched", "cells that are committed"],
  ["dashed", "cells that the step cut off"],
  ["hw", "the high watermark"],
  ["■ →", "in the chart: a step on its own; a step from one actor to another, or a message"],
  ["✗", "a property is false, or the step would make it false"],
  ["↺", "the step would lead to a state that is already there"],
];

const SECOND = 1000;

// The panels: name, title, component, and whether there is one for what is looked at.
const PANELS = [
  ["verdicts", "Verdicts", VerdictsPanel, (store) => store.live],
  ["why", "Why", WhyPanel, () => true],
  ["moves", "What if", MovesPanel, (store) => store.drives],
  ["compare", "Compare", ComparePanel, (store) => store.live],
  ["chart", "Chart", ChartPanel, (store) => store.about.charts],
  ["table", "Table", TablePanel, () => true],
  ["check", "Check", CheckPanel, (store) => store.live],
  ["watch", "Watch", WatchPanel, (store) => store.live || store.view.watch.length > 0],
];

export class SpecExplorer extends HTMLElement {
  async open(store) {
    this.store = store;
    this.append(el("p.loading", "Loading …"));
    try {
      await store.start();
    } catch (wrong) {
      fill(this, el("p.loading.wrong", wrong.message));
      return;
    }
    this.build();
    store.addEventListener("change", () => this.update());
    addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  build() {
    const { store } = this;
    this.timeline = opened("step-timeline", StepTimeline, store);
    this.steps = opened("step-list", StepList, store);
    this.state = opened("state-view", StateView, store);
    this.panels = new Map();
    for (const [name, title, kind, wanted] of PANELS) if (wanted(store)) this.addPanel(name, title, kind);
    const panels = [...this.panels.values()];
    const told = { role: "tablist", "aria-label": "Panels", onkeydown: (event) => this.alongTabs(event) };
    const tabs = el("div.tabs", told, panels.map(({ tab }) => tab));
    this.notice = el("div.notices", { role: "status" });
    this.columns = el(
      "div.columns",
      el("nav.list", { "aria-label": "Steps" }, this.steps),
      el("main", { tabindex: "-1" }, this.state),
      el("aside", { "aria-label": "Questions" }, tabs, panels.map(({ panel }) => panel)),
    );
    this.help = this.helpDialog();
    const strip = el("nav.strip", { "aria-label": "Timeline" }, this.timeline);
    fill(this, this.header(), this.notice, strip, this.columns, this.help);
  }

  addPanel(name, title, kind) {
    const panel = opened(`${name}-panel`, kind, this.store);
    panel.id = `panel-${name}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    const told = { id: `tab-${name}`, role: "tab", "aria-controls": panel.id };
    this.panels.set(name, { panel, tab: button(title, "", () => this.store.go({ panel: name }), told) });
  }

  header() {
    const { about } = this.store;
    document.title = `${about.design}${about.trace ? ` · ${about.trace}` : ""}`;
    const constants = about.constants.map((c) => el("span.constant", { title: c.doc }, `${c.name}=${c.value}`));
    const choose = () => chooser(this.store).showModal();
    const change = this.store.live && button("Change …", "Other constants, another design", choose);
    this.place = el("span.place", { "aria-live": "polite" });
    this.back = button("◀", "Previous state (left arrow)", () => this.move(-1), { "aria-label": "Previous state" });
    this.on = button("▶", "Next state (right arrow)", () => this.move(1), { "aria-label": "Next state" });
    this.player = button("Play", "A state a second (p)", () => this.play(), { "aria-pressed": "false" });
    return el(
      "header",
      el(
        "div.title",
        el("div.name-line", el("h1", about.design), el("p.constants", constants), change),
        el("p.question", { title: about.question }, about.question),
        el("p.quiet.intro", introduction(this.store)),
      ),
      el(
        "div.controls",
        el("div.walk", this.back, this.place, this.on),
        this.search(),
        this.player,
        button("Copy link", "Copy the address of what is shown", (event) => this.copyLink(event.currentTarget)),
        button("?", "Guide", () => this.help.showModal(), { "aria-label": "Guide" }),
      ),
    );
  }

  search() {
    const { store } = this;
    this.find = el("input", {
      type: "search",
      placeholder: "find  /",
      "aria-label": "Find steps by text",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => store.go({ find: this.find.value }),
      onkeydown: (event) => this.inFind(event),
    });
    this.find.value = store.view.find ?? "";
    this.finds = el("span.finds", { "aria-live": "polite" });
    return el("div.search", this.find, this.finds);
  }

  helpDialog() {
    const dialog = el(
      "dialog",
      { "aria-label": "Guide" },
      el("h2", "Guide"),
      el("p", introduction(this.store)),
      el("h3", "Signs"),
      table("keys", LEGEND.map(([sign, means]) => row([rowHead(sign), means]))),
      el("h3", "Keys"),
      table("keys", KEYS.map(([keys, does]) => row([rowHead(keys), does]))),
      el("p.quiet", "The address of the page holds what it shows: copy it to keep a view."),
      button("Close", "", () => dialog.close()),
    );
    return dialog;
  }

  update() {
    const { store } = this;
    const { view, line, about, error } = store;
    this.place.textContent = `${view.step} / ${line.length}`;
    this.back.disabled = view.step <= 1;
    this.on.disabled = view.step >= line.length;
    this.finds.textContent = view.find ? `${store.found.size}` : "";
    this.settlePanel();
    const chosen = view.panel;
    fill(
      this.notice,
      about.notice && el("p.notice", about.notice),
      this.wrongLink(),
      this.wrongWatches(chosen),
      error && el("p.notice.wrong", { role: "alert" }, error, !store.step(view.step) && this.wayBack()),
    );
    this.timeline.update();
    this.steps.update();
    this.columns.classList.toggle("comparing", chosen === "compare" && Boolean(view.with));
    for (const [name, { tab, panel }] of this.panels) {
      const shown = name === chosen;
      panel.hidden = !shown;
      tab.setAttribute("aria-selected", String(shown));
      tab.tabIndex = shown ? 0 : -1;
      if (shown) panel.update();
    }
    this.state.update();
    this.timeline.settle();
    this.steps.settle();
  }

  // What the page could not follow of the link by which it was opened.
  wrongLink() {
    const { wrong } = this.store;
    const alert = (text) => el("p.notice.wrong", { role: "alert" }, text);
    return wrong.length > 0 && alert(`Not all of the link can be followed: ${wrong.join("; ")}.`);
  }

  // A link may name a panel that there is not.
  settlePanel() {
    const { view, wrong } = this.store;
    if (this.panels.has(view.panel)) return;
    if (view.panel) wrong.push(`there is no panel ${quoted(view.panel)} here`);
    view.panel = this.panels.keys().next().value;
  }

  // The watched expressions without values, unless the panel that says so is open.
  wrongWatches(panel) {
    const { store } = this;
    if (panel === "watch") return null;
    const failed = store.view.watch.filter((text) => store.watch(text).error);
    return failed.map((text) => el("p.notice.wrong", `${quoted(text)} is not watched: ${store.watch(text).error}`));
  }

  // An address may name a behaviour that there is not, or no more.
  wayBack() {
    const { store } = this;
    const start = { branch: store.about.start, step: Infinity, also: [] };
    return button("Show what is there", "", () => store.go(start));
  }

  move(by) {
    const { step } = this.store.view;
    this.store.go({ step: step + by });
  }

  // Go on by a state each second; a second call, or the last state, ends it.
  play() {
    const { store } = this;
    const playing = this.playing;
    clearInterval(playing);
    this.playing = null;
    if (!playing) {
      if (store.view.step >= store.line.length) store.go({ step: 1 });
      this.playing = setInterval(() => {
        this.move(1);
        if (store.view.step >= store.line.length) this.play();
      }, SECOND);
    }
    this.player.setAttribute("aria-pressed", String(Boolean(this.playing)));
    this.player.textContent = this.playing ? "Pause" : "Play";
  }

  async copyLink(pressed) {
    this.store.write();
    const told = await navigator.clipboard.writeText(location.href).then(
      () => "Copied",
      () => "Copy it from the address bar",
    );
    pressed.textContent = told;
    setTimeout(() => (pressed.textContent = "Copy link"), 2 * SECOND);
  }

  key(event) {
    const within = (places) => event.target.closest?.(places);
    if (within("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { store } = this;
    const tabs = within("[role=tablist]");
    const steps = within("step-list");
    const does = {
      ArrowLeft: () => !tabs && this.move(-1),
      ArrowRight: () => !tabs && this.move(1),
      ArrowUp: () => steps && this.move(-1),
      ArrowDown: () => steps && this.move(1),
      j: () => this.move(1),
      k: () => this.move(-1),
      Home: () => !tabs && store.go({ step: 1 }),
      End: () => !tabs && store.go({ step: store.line.length }),
      "/": () => this.find.focus(),
      n: () => this.nextChange(1),
      N: () => this.nextChange(-1),
      u: () => store.drives && undoStep(store),
      p: () => this.play(),
      "?": () => this.help.showModal(),
    };
    for (const [key, , panel] of KEYS) if (panel) does[key] = () => this.openPanel(panel);
    if (does[event.key] && does[event.key]() !== false) event.preventDefault();
  }

  openPanel(name) {
    if (!this.panels.has(name)) return false;
    this.store.go({ panel: name });
    // Arrow keys belong to the tabs while one has the focus; after a key they go on to step.
    if (document.activeElement.closest("[role=tablist]")) this.timeline.scroller.focus();
    return true;
  }

  alongTabs(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const names = [...this.panels.keys()];
    const at = names.findIndex((name) => this.panels.get(name).tab === document.activeElement);
    const name = names[(at + by + names.length) % names.length];
    this.store.go({ panel: name });
    this.panels.get(name).tab.focus();
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

  inFind(event) {
    const { store } = this;
    if (event.key === "Escape") {
      this.find.value = "";
      store.go({ find: "" });
      this.timeline.scroller.focus();
    } else if (event.key === "Enter" && store.found.size) {
      const numbers = [...store.found].sort((a, b) => a - b);
      const { step } = store.view;
      const next = event.shiftKey
        ? (numbers.findLast((n) => n < step) ?? numbers.at(-1))
        : (numbers.find((n) => n > step) ?? numbers[0]);
      store.go({ step: next });
    }
  }
}

// What the page shows and what to press, for whom it is new.
function introduction({ drives, about }) {
  const shows = about.trace ? "the states of a recorded behaviour" : "the states of a behaviour of the design";
  const more = drives ? ", m takes another step, w says why a property is false" : ", w says why a property is false";
  return `This page shows ${shows}, one at a time: → and ← go on and back${more}, ? explains the rest.`;
}
