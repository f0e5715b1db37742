// A check that starts in the state shown: what holds from here on, and the ways to what does not.

import { branchPrefix } from "./address.js";
import { button, el, fill, plural } from "./dom.js";

export class CheckPanel extends HTMLElement {
  open(store) {
    this.store = store;
    this.seconds = el("input", { type: "number", id: "seconds", min: 1, max: 60, value: 10 });
    this.go = button("Check from this state", "Search all behaviours that go on from here", () => this.run());
    this.stop = button("Stop", "End the search; what it has found is shown", () => store.source.send("stop", {}));
    this.body = el("div", { "aria-live": "polite" });
    this.append(
      el(
        "div",
        { class: "actions" },
        this.go,
        this.stop,
        el("label", { class: "field", for: "seconds" }, "for at most ", this.seconds, " s"),
      ),
      this.body,
    );
    this.seed = 1;
    this.more = button("Show some behaviours", "Five that differ, by chance, from this state on", () => this.sample());
    this.sampled = el("div", { "aria-live": "polite" });
    this.append(el("div", { class: "actions apart" }, this.more), this.sampled);
    this.results = new Map();
    this.samples = new Map();
    this.running = false;
  }

  update() {
    const { branch, step } = this.store.view;
    const here = branchPrefix(branch, step);
    this.go.disabled = this.running;
    this.stop.disabled = !this.running;
    this.showSamples(this.samples.get(here));
    const found = this.results.get(here);
    if (this.running) fill(this.body, el("p", { class: "quiet" }, "Searching …"));
    else if (!found) fill(this.body, el("p", { class: "quiet" }, `Takes state ${step} for the initial one. The state space from here is often far smaller than the whole.`));
    else fill(this.body, this.report(found));
  }

  async run() {
    const { branch, step } = this.store.view;
    const here = branchPrefix(branch, step);
    this.running = true;
    this.update();
    try {
      const seconds = Number(this.seconds.value) || 10;
      this.results.set(here, await this.store.source.send("check", { branch: here, seconds }));
    } catch (wrong) {
      this.results.set(here, { failure: wrong.message });
    }
    this.running = false;
    this.update();
  }

  // A few behaviours that go on from here; asked for again, others.
  async sample() {
    const { branch, step } = this.store.view;
    const here = branchPrefix(branch, step);
    const query = { branch: here, count: 5, length: 20, seed: this.seed };
    this.seed += 1;
    try {
      this.samples.set(here, await this.store.source.ask("samples", query));
    } catch (wrong) {
      this.samples.set(here, { error: wrong.message });
    }
    this.update();
  }

  showSamples(found) {
    if (!found) fill(this.sampled);
    else if (found.error) fill(this.sampled, el("p", { class: "wrong" }, found.error));
    else fill(this.sampled, el("table", { class: "samples" }, el("tbody", {}, found.map((one) => this.sampleRow(one)))));
  }

  sampleRow(sample) {
    const actions = Object.entries(sample.actions).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
    const steps = Object.values(sample.actions).reduce((a, b) => a + b, 0);
    return el(
      "tr",
      {},
      el("td", {}, this.way(sample.branch, plural(steps, "step"))),
      el("td", {}, actions.join(", "), el("span", { class: "quiet" }, `; ${sample.ended}`)),
    );
  }

  report(found) {
    if (found.failure) {
      return [
        el("p", { class: "wrong" }, found.failure),
        found.branch && this.way(found.branch, "show the way there"),
      ];
    }
    const most = Math.max(1, ...Object.values(found.coverage));
    return [
      el(
        "p",
        { class: "headline" },
        `From state ${found.from}: ${plural(found.distinct, "state")}, depth ${found.depth}`,
        found.stopped && ` (${found.stopped})`,
      ),
      el("table", { class: "verdicts" }, el("tbody", {}, found.properties.map((p) => this.verdict(p)))),
      found.levels.length > 2 && depthChart(found.levels),
      el("h3", {}, "How often each action fired"),
      el(
        "table",
        { class: "heat" },
        el("tbody", {}, Object.entries(found.coverage).map(([name, count]) => heatRow(name, count, most))),
      ),
    ];
  }

  verdict(property) {
    const good = property.verdict === "holds";
    const mark = good ? "✓" : property.verdict === "violated" ? "✗" : "?";
    const words = property.kind === "reachable" ? { holds: "met", violated: "never met" } : {};
    const told = property.told.map((line) => el("p", { class: "told" }, line));
    const row = el(
      "tr",
      {},
      el("td", { class: good ? "mark-true" : property.verdict === "violated" ? "mark-false" : "" }, mark),
      el("th", { scope: "row" }, property.name),
      el("td", {}, words[property.verdict] ?? property.verdict),
      el("td", {}, property.branch && this.way(property.branch, property.steps ? `after ${plural(property.steps, "step")}` : "here")),
    );
    return told.length ? [row, el("tr", {}, el("td"), el("td", { colspan: 3 }, told))] : row;
  }

  way(branch, text) {
    return button(text, "Show this behaviour", () => this.store.go({ branch, step: Infinity, panel: "why" }), { class: "link" });
  }
}

// How many states there are at each number of steps from here.
function depthChart(levels) {
  const most = Math.max(...levels);
  const bars = levels.map((count, i) =>
    el("span", { class: "depth-bar", "--share": `${(100 * count) / most}%`, title: `${plural(count, "state")} after ${plural(i, "step")}` }),
  );
  const at = levels.indexOf(most);
  const says = `most states, ${most.toLocaleString("en")}, after ${plural(at, "step")}`;
  return [
    el("h3", {}, "States by distance from here"),
    el("div", { class: "depth-chart", role: "img", "aria-label": says }, bars),
    el("div", { class: "depth-labels" }, el("span", {}, "0 steps"), el("span", {}, says), el("span", {}, levels.length - 1)),
  ];
}

function heatRow(name, count, most) {
  const share = count ? Math.max(2, (100 * Math.log1p(count)) / Math.log1p(most)) : 0;
  return el(
    "tr",
    { class: count ? "" : "never" },
    el("th", { scope: "row" }, name),
    el("td", { class: "bar-cell" }, el("span", { class: "bar", "--share": `${share}%` })),
    el("td", { class: "number" }, count ? count.toLocaleString("en") : "never"),
  );
}
