// A check that starts in the state shown: what holds from here on, and the ways to what does not.

import { button, el, fill, plural, row, rowHead, table, whenKnown } from "./dom.js";
import { Part } from "./part.js";

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
    fill(this.body, found && !running ? this.report(found) : el("p.quiet", running ? "Searching …" : help));
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
    const names = Object.entries(actions).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
    const steps = Object.values(actions).reduce((a, b) => a + b, 0);
    const told = [names.join(", "), el("span.quiet", `; ${ended}`)];
    return row([this.way(branch, plural(steps, "step")), told]);
  }

  report(found) {
    if (found.failure) {
      return [el("p.wrong", found.failure), found.branch && this.way(found.branch, "show the way there")];
    }
    const { from, distinct, depth, stopped, properties, levels, coverage } = found;
    const most = Math.max(1, ...Object.values(coverage));
    const heat = Object.entries(coverage).map(([name, count]) => heatRow(name, count, most));
    return [
      el("p.headline", `From state ${from}: ${plural(distinct, "state")}, depth ${depth}`, stopped && ` (${stopped})`),
      table("verdicts", properties.map((property) => this.verdict(property))),
      levels.length > 2 && depthChart(levels),
      el("h3", "How often each action fired"),
      table("heat", heat),
    ];
  }

  verdict({ name, kind, verdict, branch, steps, told }) {
    const [sign, how] = MARKS[verdict] ?? ["?"];
    const words = (kind === "reachable" && MET[verdict]) || verdict;
    const way = branch && this.way(branch, steps ? `after ${plural(steps, "step")}` : "here");
    const lines = told.map((line) => el("p.told", line));
    return [
      row([el("td", { class: how }, sign), rowHead(name), words, way]),
      lines.length > 0 && row([null, el("td", { colspan: 3 }, lines)]),
    ];
  }

  way(branch, text) {
    return this.link(text, "Show this behaviour", { branch, step: Infinity, panel: "why" });
  }
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
