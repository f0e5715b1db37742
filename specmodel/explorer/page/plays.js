// The page of plays: a table of traces by subjects, and one play, step by step, with what was
// expected beside what was seen, and the transcript.

import { columnHead, el, fill, plural, row, rowHead, table } from "./dom.js";

const WORDS = { performs: "stage", stage: "asked of the stage", signs: "subject", silent: "subject, unseen" };
const GOOD = ["followed", "told"];

// A transcript's line in short: what is no list and no object.
function gist(line) {
  const short = Object.entries(line).filter(([, value]) => value === null || typeof value !== "object");
  return short.map(([key, value]) => `${key} ${value}`).join(", ");
}

function shown(value) {
  if (value === null || value === undefined) return "nothing";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export class SpecPlays extends HTMLElement {
  open(report) {
    this.report = report;
    this.append(
      el("header", el("div.title", el("h1", `Plays of ${report.design}`), this.constants())),
      el("main.plays", this.overview(), (this.chosen = el("section", { "aria-live": "polite" }))),
    );
    window.addEventListener("hashchange", () => this.choose());
    this.addEventListener("keydown", (event) => this.press(event));
    this.choose();
  }

  constants() {
    const { constants, stage, date } = this.report;
    const parts = Object.entries(constants).map(([name, value]) => `${name}=${value}`);
    return el("p.constants", [...parts, `stage ${stage}`, date].map((text) => el("span.constant", text)));
  }

  overview() {
    const { subjects, traces, versions, skipped, step_seconds, quiet_seconds } = this.report;
    const rows = Object.entries(traces).map(([trace, title]) =>
      row([rowHead(el("b", trace), " ", el("span.quiet", title)), ...subjects.map((name) => this.cell(trace, name))]),
    );
    const heads = row([columnHead("trace"), ...subjects.map((name) => columnHead(name))]);
    return el(
      "section",
      el("div.scroll-x", { tabindex: 0, role: "region", "aria-label": "all plays" }, table("outcomes", rows, heads)),
      el("p.quiet", Object.values(versions).join(" · ")),
      Object.entries(skipped).map(([name, why]) => el("p.quiet", `skipped ${name}: ${why}`)),
      el("p.quiet", `A step was awaited for ${step_seconds} s, anything more for ${quiet_seconds} s.`),
    );
  }

  cell(trace, subject) {
    const series = this.report.series.find((one) => one.trace === trace && one.subject === subject);
    if (!series) return "";
    const firsts = new Map(series.plays.map((play, i) => [play.outcome, i]).reverse());
    return [...firsts].reverse().map(([outcome, number]) => {
      const count = series.plays.length > 1 ? ` (${series.outcomes[outcome]})` : "";
      const good = GOOD.includes(series.plays[number].verdict);
      const place = this.place(trace, subject, number);
      return el("a", { href: place, class: good ? "mark-true" : "mark-false" }, outcome + count);
    });
  }

  place(trace, subject, number, step = "") {
    return `#${[trace, subject, number + 1, step].filter((part) => part !== "").map(encodeURIComponent).join("/")}`;
  }

  // Shows what the address names: a play, and a step of it.
  choose() {
    const [trace, subject, number, step] = location.hash.slice(1).split("/").map(decodeURIComponent);
    const series = this.report.series.find((one) => one.trace === trace && one.subject === subject);
    const play = series?.plays[Number(number) - 1];
    for (const link of this.querySelectorAll(".outcomes a")) {
      const here = link.hash === location.hash || location.hash.startsWith(`${link.hash}/`);
      link.toggleAttribute("aria-current", here);
    }
    if (!play) {
      fill(this.chosen, el("p.quiet", "Choose an outcome."));
      return;
    }
    const at = Math.min(Math.max(Number(step) || play.steps.length, 1), play.steps.length);
    Object.assign(this, { series, play, number: Number(number) - 1, at });
    fill(this.chosen, this.heading(), this.steps(), play.steps.length > 0 && this.observations(), this.transcript());
    this.chosen.querySelector(".transcript .is-now")?.scrollIntoView({ block: "nearest" });
  }

  heading() {
    const { series, play } = this;
    const others = series.plays.map((_, i) =>
      i === this.number ? el("b", `${i + 1} `) : [el("a", { href: this.place(series.trace, series.subject, i) }, `${i + 1}`), " "],
    );
    const predicted = series.predicted.length > 0 && `Its design predicts: ${series.predicted.join(" or ")}.`;
    return el(
      "div",
      el("h2", `${series.subject} on ${series.trace}: ${play.outcome}`),
      series.plays.length > 1 && el("p", "Play ", others),
      play.explained.length > 0 && el("pre.explained", play.explained.join("\n")),
      predicted && el("p", { class: series.contradicts.length > 0 && "wrong" }, predicted),
    );
  }

  steps() {
    const { series, play } = this;
    const rows = play.steps.map((step, i) => {
      const text = step.step || "the first state";
      const differs = this.differing(step).length > 0;
      const link = el("a", { href: this.place(series.trace, series.subject, this.number, i + 1), "data-key": `step ${i}` }, text);
      const cells = [String(step.number), link, WORDS[step.role] ?? "", differs ? el("span.mark-false", "differs") : "", `${step.seconds.toFixed(1)} s`];
      return row(cells, { "aria-current": i + 1 === this.at && "step" });
    });
    const heads = row(["state", "step", "by", "what was seen", "after"].map((text) => columnHead(text)));
    return el("div", el("h3", "Steps"), el("p.quiet", "↑ and ↓ go from step to step."), table("played", rows, heads));
  }

  differing({ expected, seen }) {
    return Object.keys(expected).filter((name) => name in seen && shown(expected[name]) !== shown(seen[name]));
  }

  observations() {
    const step = this.play.steps[this.at - 1];
    const names = [...new Set([...Object.keys(step.expected), ...Object.keys(step.seen)])];
    const differ = this.differing(step);
    const rows = names.map((name) => {
      const seen = name in step.seen ? shown(step.seen[name]) : "not observed";
      return row([rowHead(name), shown(step.expected[name]), el("span", { class: differ.includes(name) && "mark-false" }, seen)]);
    });
    const heads = row([columnHead("after state ", String(step.number)), columnHead("expected"), columnHead("seen")]);
    const nothing = el("p.quiet", "Nothing was expected to be seen.");
    return el("div", el("h3", "Expected beside seen"), rows.length > 0 ? table("observed", rows, heads) : nothing);
  }

  transcript() {
    const { play, at } = this;
    const end = play.steps[at - 1]?.event ?? 0;
    const start = at > 1 ? play.steps[at - 2].event : 0;
    const lines = play.transcript.map((line, i) => {
      const now = i >= start && i < end;
      const { of, at: seconds, ...rest } = line;
      return el(
        "li",
        { class: now && "is-now" },
        el("details", el("summary", el("span.when", `${seconds.toFixed(2)} s`), ` ${of} `, el("code", gist(rest))), el("pre", JSON.stringify(rest, null, 2))),
      );
    });
    const title = `Transcript: ${plural(lines.length, "line")}`;
    return el("div", el("h3", title), el("ol.transcript", { tabindex: 0, "aria-label": "transcript" }, lines));
  }

  press(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !this.play || event.target.closest(".transcript")) return;
    event.preventDefault();
    const to = Math.min(Math.max(this.at + by, 1), this.play.steps.length);
    location.hash = this.place(this.series.trace, this.series.subject, this.number, to);
  }
}

customElements.define("spec-plays", SpecPlays);
document.querySelector("spec-plays").open(JSON.parse(document.getElementById("specmodel-data").textContent));
