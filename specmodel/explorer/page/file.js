// The file that the page is part of, as `--export` writes it. It answers what a server would: about
// one behaviour, and about the behaviours that fork from it, as far as the file has their steps.

import { turnedFalse } from "./store.js";

const NO_REASONS = { failure: "", properties: [], written: {} };

export class FileSource {
  constructor(held) {
    this.held = held;
  }

  async open() {
    return this.held.about;
  }

  async ask(name, query) {
    this.around ??= this.held.around ? await unpacked(this.held.around) : { trace: [], steps: {}, reasons: {} };
    return this[name](this.path(query.branch), query);
  }

  // The states of a behaviour, each with the step to it and the number that the file gives it.
  path(branch) {
    const { spine, frames, why, watches } = this.held;
    const [start, ...choices] = branch.split(".");
    const length = start === spine.branch ? spine.length : Number(start.slice(1));
    const isPart = start === spine.branch || (start[0] === "t" && spine.branch[0] === "t" && length < spine.length);
    if (!isPart) throw new Error("this file has another behaviour");
    const found = spine.steps.slice(0, length).map((step, i) => ({
      step,
      frame: frames[i],
      why: why[i + 1],
      watches: Object.fromEntries(Object.entries(watches).map(([text, values]) => [text, values[i]])),
      state: this.around.trace[i],
    }));
    for (const choice of choices) found.push(this.next(found, Number(choice)));
    return found;
  }

  // Where a step leads to. A variable that it changes has its value from there on.
  next(path, choice) {
    const [before, number] = [path.at(-1), path.length + 1];
    const rows = this.groups(before.state).flatMap(({ bindings }) => bindings);
    const row = rows.find(({ binding, to }) => binding === choice && to !== undefined);
    if (!row) throw new Error(`this file does not have this step from state ${number - 1}`);
    const since = { ...before.frame.since };
    for (const { place } of row.changes) since[/^[^.[]*/.exec(place)[0]] = number;
    const { step, frame, to, why, watches } = row;
    const picture = frame.picture && { ...frame.picture, number };
    return { step: { ...step, number }, frame: { ...frame, number, since, picture }, why, watches, state: to };
  }

  groups(state) {
    return this.around.steps[state]?.groups ?? [];
  }

  spine(path, { branch, from, count }) {
    const loop = branch === this.held.spine.branch ? this.held.spine.loop : null;
    return { branch, length: path.length, loop, first: from, steps: part(path, from, count).map(({ step }) => step) };
  }

  frames(path, { from, count }) {
    return part(path, from, count).map(({ frame }) => frame);
  }

  why(path, { state }) {
    return path[state - 1].why ?? NO_REASONS;
  }

  watch(path, { text, from, count }) {
    if (!Object.hasOwn(this.held.watches, text)) throw new Error("this file does not have its values");
    return part(path, from, count).map(({ watches }) => watches[text]);
  }

  chart(path, { branch }) {
    if (branch !== this.held.spine.branch) throw new Error("This file has the chart of its trace only.");
    return this.held.chart;
  }

  // The steps from a state, what each would break, and where its state is there already.
  moves(path, { state }) {
    const here = path[state - 1];
    const known = this.around.steps[here.state];
    if (!known) return { number: state, explored: true, groups: [], ends: this.end() };
    const recorded = this.around.trace.map((one, i) => [one, `the same as state ${i + 1} of the trace`]);
    const passed = path.slice(0, state).map((one, i) => [one.state, `the same as state ${i + 1}`]);
    const places = new Map([...recorded.reverse(), ...passed.reverse()]);
    const { properties } = this.held.about;
    const told = (row) => {
      if (!row.step) return row;
      const breaks = turnedFalse(properties, row.step.truths, here.step.truths).map(({ name }) => name);
      return { ...row, breaks, same: places.get(row.to) ?? "" };
    };
    const groups = known.groups.map(({ action, bindings }) => ({ action, bindings: bindings.map(told) }));
    return { ...known, number: state, groups };
  }

  end() {
    const { design, explored } = this.held.about;
    return `This file has the steps from ${explored} states, and this is none of them. To go on: specmodel explore ${design}`;
  }

  // The guards of the steps that cannot happen.
  reasons(path, { state, action }) {
    const known = this.around.reasons[path[state - 1].state];
    if (!known) throw new Error("This file has the reasons for the states of its trace only.");
    return known[action] ?? [];
  }
}

function part(list, from, count) {
  return list.slice(from - 1, from - 1 + count);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
