// The verdicts of the whole design, and a check that starts in the state shown: what holds, and the
// ways to what does not.

import { button, el, fill, plural, row, rowHead, table, whenKnown } from "./dom.js";
import { outdated, Part } from "./part.js";
import { isViolated } from "./store.js";

const MARKS = { holds: ["✓", "mark-true"], violated: ["✗", "mark-false"] };
const MET = { holds: "met", violated: "never met" };

export class CheckPanel extends Part {
  build() {
    const { source } = this.store;
    this.seconds = el("input", { type: "number", id: "seconds", min: 1, max: 60, value: 10 });
    this.go = button("Check from this state", "Search all behaviours that go on from here", () => this.run());
    this.stop = button("Stop", "End the search; what it has found is shown", () => source.send("stop", {}));
    this.body = el("div", { "aria-live": "polite" });
    const more = button("Show some behaviours", "Five that differ, by chance, from this state on", () => this.sample());
    this.sampled = el("div", { "aria-live": "polite" });
    const limit = el("label.field", { for: "seconds" }, "for at most ", this.seconds, " s");
    fill(
      this,
      el("div.actions", this.go, this.stop, limit),
      this.body,
      el("div.actions.apart", more),
      this.sampled,
    );
    this.results = new Map();
    this.seeds = new Map();
    this.seed = 0;
    this.running = false;
  }

  update() {
    const { store, running } = this;
    this.go.disabled = running;
    this.stop.disabled = !running;
    this.showSamples();
    const found = this.results.get(store.here);
    const help = `Takes state ${store.view.step} for the initial one. The state space from here is often far smaller than the whole.`;
    fill(this.body, found && !running ? report(this, found) : el("p.quiet", running ? "Searching …" : help));
  }

  async run() {
    const { here, source } = this.store;
    this.running = true;
    this.update();
    const seconds = Number(this.seconds.value) || 10;
    const failed = (wrong) => ({ failure: wrong.message });
    this.results.set(here, await source.send("check", { branch: here, seconds }).catch(failed));
    this.running = false;
    this.update();
  }

  // A few behaviours that go on from here; asked for again, others.
  sample() {
    this.seed += 1;
    this.seeds.set(this.store.here, this.seed);
    this.update();
  }

  // Those that are there stay until others are.
  showSamples() {
    const { store } = this;
    const seed = this.seeds.get(store.here);
    const found = seed && store.ask("samples", { branch: store.here, count: 5, length: 20, seed });
    if (seed && !found) return;
    const rows = () => table("samples", found.map((sample) => this.sampleRow(sample)));
    fill(this.sampled, found && whenKnown(found, rows));
  }

  sampleRow({ branch, actions, ended }) {
    const steps = Object.values(actions).reduce((a, b) => a + b, 0);
    const told = [actionCounts(actions), el("span.quiet", `; ${ended}`)];
    return row([this.way(branch, plural(steps, "step")), told]);
  }

  way(branch, text) {
    return this.link(text, "Show this behaviour", { branch, step: Infinity, panel: "why" });
  }
}

// The search of the whole design, which runs while the page is read.
export class VerdictsPanel extends Part {
  build() {
    const { source } = this.store;
    this.stop = button("Stop", "End the search; what it has found is shown", () => source.send("stop", {}));
    this.body = el("div");
    this.said = el("p.headline", { role: "status" });
    this.asked = new Set();
    fill(this, this.said, this.stop, this.body);
  }

  update() {
    const found = this.store.verdicts();
    this.stop.hidden = !found?.running;
    this.said.textContent = whole(found);
    const others = [...this.asked].map((name) => this.othersOf(name));
    if (outdated(this, found, ...others)) fill(this.body, found && !found.running && !found.error && report(this, found));
  }

  way(branch, text) {
    return this.link(text, "Show this behaviour", { branch, step: Infinity });
  }

  // Further ways to what a property is about, once they are asked for. A lasso has none.
  others({ name, branch, told }) {
    if (!branch || told.length) return null;
    if (this.asked.has(name)) return whenKnown(this.othersOf(name), (found) => this.shapes(found));
    const ask = () => {
      this.asked.add(name);
      this.update();
    };
    const title = "Search for others that differ in what happens";
    return button("others", title, ask, { class: "link", "aria-label": `Other ways to ${name}` });
  }

  othersOf(name) {
    return this.store.ask("counterexamples", { property: name });
  }

  shapes({ found, needed }) {
    const rows = found.map(({ branch, steps, actions }) => row([this.way(branch, plural(steps, "step")), actionCounts(actions)]));
    const all = needed.length > 0 && el("p.quiet", `Each takes ${needed.join(", ")}.`);
    return [table("samples", rows), found.length < 2 && el("p.quiet", "There is no other."), all];
  }
}

// The actions of a behaviour, with how often each happens.
function actionCounts(actions) {
  return Object.entries(actions).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}

// What is known of the whole design, in a sentence.
function whole(found) {
  if (!found) return "Searching all states …";
  if (found.error) return found.error;
  if (found.running) {
    const { distinct, depth, seconds } = found;
    return `Searching all states: ${plural(distinct ?? 0, "state")}, depth ${depth}, ${seconds.toFixed(1)} s`;
  }
  if (found.failure) return "There are no verdicts.";
  const violated = found.properties.filter(isViolated).length;
  if (violated) return `${violated} of ${found.properties.length} properties violated`;
  return found.complete ? "No property is violated." : "No violation found so far: the search is not complete.";
}

// What a search has found, in a panel with links to behaviours.
function report(panel, found) {
  if (found.failure) {
    return [el("p.wrong", found.failure), found.branch && panel.way(found.branch, "show the way there")];
  }
  const { from, distinct, depth, stopped, properties, levels, coverage } = found;
  const most = Math.max(1, ...Object.values(coverage));
  const heat = Object.entries(coverage).map(([name, count]) => heatRow(name, count, most));
  const where = from ? `From state ${from}` : "The whole design";
  return [
    el("p.headline", `${where}: ${plural(distinct, "state")}, depth ${depth}`, stopped && ` (${stopped})`),
    table("verdicts", properties.map((property) => verdictRow(panel, property))),
    levels.length > 2 && depthChart(levels),
    el("h3", "How often each action fired"),
    table("heat", heat),
  ];
}

function verdictRow(panel, { name, kind, verdict, branch, steps, told }) {
  const [sign, how] = MARKS[verdict] ?? ["?"];
  const words = (kind === "reachable" && MET[verdict]) || verdict;
  const way = branch && panel.way(branch, steps ? `after ${plural(steps, "step")}` : "here");
  const lines = told.map((line) => el("p.told", line));
  const others = panel.others?.({ name, branch, told });
  const asked = panel.asked?.has(name);
  return [
    row([el("td", { class: how }, sign), rowHead(name), words, [way, !asked && others && [" ", others]]]),
    (lines.length > 0 || asked) && row([null, el("td", { colspan: 3 }, lines, asked && others)]),
  ];
}

// How many states there are at each number of steps from here.
function depthChart(levels) {
  const most = Math.max(...levels);
  const bars = levels.map((count, i) => {
    const title = `${plural(count, "state")} after ${plural(i, "step")}`;
    return el("span.depth-bar", { "--share": `${(100 * count) / most}%`, title });
  });
  const says = `most states, ${most.toLocaleString("en")}, after ${plural(levels.indexOf(most), "step")}`;
  return [
    el("h3", "States by distance from here"),
    el("div.depth-chart", { role: "img", "aria-label": says }, bars),
    el("div.depth-labels", ["0 steps", says, levels.length - 1].map((text) => el("span", text))),
  ];
}

function heatRow(name, count, most) {
  const share = count ? Math.max(2, (100 * Math.log1p(count)) / Math.log1p(most)) : 0;
  const bar = el("td.bar-cell", el("span.bar", { "--share": `${share}%` }));
  const fired = el("td.number", count ? count.toLocaleString("en") : "never");
  return row([rowHead(name), bar, fired], { class: !count && "never" });
}
