// The strip on top: a column a state, a row an actor, where properties turn false, the loop.

import { button, el, fill } from "./dom.js";
import { outdated, StateList } from "./part.js";

const WIDEST = 96;
const LANE_HEIGHT = 18;
const HEAD_HEIGHT = 20;
const MOST_ACTORS = 8;
const WIDE_LABEL = 30;
const NARROW_LABEL = 14;

export class StepTimeline extends StateList {
  name = "strip";
  axis = ["scrollLeft", "clientWidth", "width"];
  size = WIDEST;
  margin = 1;
  beyond = 10;

  build() {
    this.labels = el("div.strip-labels");
    this.bracket = el("div.loop-bracket");
    this.unfolded = false;
    const label = "Timeline of states; left and right arrow keys move along it";
    this.append(this.labels, this.scrollable(label, { "aria-orientation": "horizontal" }));
    this.inner.addEventListener("click", (event) => this.pick(event));
    this.inner.addEventListener("pointermove", (event) => event.buttons === 1 && this.pick(event));
  }

  pick(event) {
    const x = event.clientX - this.inner.getBoundingClientRect().left;
    const step = Math.floor(x / this.size) + 1;
    const within = step >= 1 && step <= this.store.line.length;
    if (within && step !== this.store.view.step) this.store.go({ step });
  }

  update() {
    const { line } = this.store;
    this.rows = this.rowsOf();
    const room = this.room || 600;
    this.size = Math.min(WIDEST, Math.max(narrowest(line.length), Math.floor(room / line.length)));
    const titles = this.rows.map(({ title }) => title);
    const most = innerWidth > 900 ? WIDE_LABEL : NARROW_LABEL;
    const loops = line.loop !== null;
    this.layout = JSON.stringify([loops, most, this.rows.map(({ kind, title }) => [kind, title])]);
    if (outdated(this.labels, this.layout)) {
      const lanes = this.rows.length + (loops ? 1 : 0);
      this.inner.style.height = `${HEAD_HEIGHT + lanes * LANE_HEIGHT}px`;
      fill(
        this.labels,
        el("div.strip-label.head", { "aria-hidden": "true" }, "state"),
        loops && el("div.strip-label", { "aria-hidden": "true" }, "loop"),
        this.rows.map((row) => rowLabel(row, titles, most)),
      );
    }
    super.update();
  }

  inputs(number) {
    const { store } = this;
    const values = store.view.watch.flatMap((text) => [number - 1, number].map((n) => store.watched(text, n)));
    return [...super.inputs(number), this.layout, ...values];
  }

  // The rows, each with what it shows of a step.
  rowsOf() {
    const { about, view } = this.store;
    const { actors } = about;
    const many = actors.length > MOST_ACTORS;
    const apart = many && !this.unfolded ? actors.slice(0, MOST_ACTORS - 1) : actors;
    const rows = apart.map((title) => this.actorRow(title, [title]));
    if (many) rows.push(this.foldRow(actors.slice(apart.length)));
    if (!rows.length) {
      rows.push({ kind: "actor", title: "steps", mark: (step) => this.actorMark(step, step.number > 1) });
    }
    about.properties.forEach((property, index) => {
      const turns = property.kind !== "reachable" && this.store.turned(index).size > 0;
      if (!turns && view.follow !== property.name) return;
      rows.push({ kind: "property", title: property.name, mark: (step) => this.truthMark(step, property, index) });
    });
    for (const title of view.watch) {
      rows.push({ kind: "watch", title, mark: (step) => this.valueMark(step.number, title) });
    }
    return rows;
  }

  // A row that has a mark where one of the actors takes part.
  actorRow(title, actors) {
    const among = (names) => names?.some((name) => actors.includes(name));
    const mark = (step) => this.actorMark(step, among(step.changed), among(step.named));
    return { kind: "actor", title, mark };
  }

  // The actors that have no rows of their own, as one row; or what folds them again.
  foldRow(others) {
    const row = this.actorRow(others.length ? `+ ${others.length} more` : "− fewer", others);
    const folds = others.length ? `Show ${others.join(", ")} in rows of their own` : "Fewer rows";
    const fold = () => {
      this.unfolded = !this.unfolded;
      this.update();
      this.settle();
    };
    return { ...row, folds, fold };
  }

  item(number) {
    const { line } = this.store;
    const step = this.store.step(number);
    const broken = this.store.broken(number);
    const says = step ? step.label || "initial state" : "";
    return this.option(
      number,
      {
        class: "strip-column",
        "aria-label": `${number}: ${says}${broken.map((p) => `; ${p.name} turns false`).join("")}`,
        title: `${number}  ${says}`,
        "--w": `${this.size}px`,
      },
      el("div.strip-number", broken.length ? `✗${number}` : number),
      line.loop !== null && el("div.strip-cell"),
      this.rows.map(({ kind, mark }) => el("div.strip-cell", { class: kind }, step && mark(step))),
    );
  }

  actorMark(step, changed, named) {
    if ((step.action === undefined && !step.fault) || !(changed || named)) return null;
    return el("span.mark", { class: changed ? "did" : "named", "--hue": this.store.hue(step.action) });
  }

  truthMark(step, property, index) {
    const truth = step.truths[index];
    const reachable = property.kind === "reachable";
    const kinds = { 1: reachable ? "met" : "true", 0: reachable ? "unmet" : "false", "!": "fails" };
    const turns = truth === "0" && !reachable && this.store.turned(index).has(step.number);
    return el("span.truth", { class: kinds[truth] ?? "none" }, turns && "✗");
  }

  valueMark(number, text) {
    const [before, value] = [number - 1, number].map((n) => this.store.watched(text, n));
    if (value === undefined || value === before) return el("span.watch-same");
    return el("span.watch-value", { title: value }, value);
  }

  // Over the part that is repeated.
  overlay() {
    const { bracket, size } = this;
    const { length, loop } = this.store.line;
    if (loop === null) {
      bracket.remove();
      return null;
    }
    if (outdated(bracket, length, loop, size)) {
      bracket.style.setProperty("--at", `${loop * size + 3}px`);
      bracket.style.setProperty("--w", `${(length - loop) * size - 6}px`);
      bracket.title = `states ${loop + 1} to ${length} are repeated for ever`;
      fill(bracket, el("span", length - loop > 1 ? `↺ back to ${loop + 1}` : "↺"));
    }
    if (bracket !== this.inner.firstChild) this.inner.prepend(bracket);
    return bracket;
  }
}

// The pixels of a column that has room for ✗ and the number of any state.
function narrowest(length) {
  return 14 + 8 * String(length).length;
}

function rowLabel({ kind, title, folds, fold }, titles, most) {
  const inner = fold
    ? button(title, folds, fold, { class: "link", "data-key": "fold" })
    : el("span", { "aria-hidden": "true" }, cutLabel(title, titles, most));
  return el("div.strip-label", { class: kind, title: fold ? null : title }, inner);
}

// A label of at most so many characters: what is left out of its middle is chosen so that no other
// label is cut to the same text.
function cutLabel(label, labels, most) {
  if (label.length <= most) return label;
  const cut = (text, head) => `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
  const heads = [most >> 1, ...Array.from({ length: most }, (_, i) => i)];
  const alone = (head) => labels.every((other) => other === label || cut(other, head) !== cut(label, head));
  return cut(label, heads.find(alone) ?? heads[0]);
}
