// What is looked at and what is known of it. Components ask here, and are told of changes.

import { branchLength, branchShared, readAddress, writeAddress } from "./address.js";

const CHUNK = 250;
const AROUND = 12;

// Browsers refuse, or ignore, more than some 100 changes of the address in 30 seconds. A held key
// makes as many in 4, so only the last step of each pause is written.
const PAUSE = 400;

export class Store extends EventTarget {
  constructor(source) {
    super();
    this.source = source;
    this.lines = new Map();
    this.answers = new Map();
    this.view = { also: [], watch: [], panel: "" };
    this.error = "";
    this.written = 0;
    this.writing = null;
  }

  async start() {
    this.about = await this.source.about();
    this.live = this.source.live && this.about.live;
    this.follow(readAddress(location.hash));
    addEventListener("hashchange", () => this.follow(readAddress(location.hash)));
  }

  // Take over what an address says; what it leaves out is as it is at the beginning.
  follow(wanted) {
    clearTimeout(this.writing);
    this.writing = null;
    const branch = wanted.branch ?? this.about.start;
    const also = wanted.also ?? [];
    const step = Math.min(Math.max(1, wanted.step ?? branchLength(branch)), branchLength(branch));
    const watch = wanted.watch.length ? wanted.watch : (this.about.watches ?? []);
    this.view = { panel: this.panelAtFirst(), ...wanted, watch, also, branch, step };
    if (branch !== this.about.start && !also.includes(this.about.start)) {
      this.view.also = [this.about.start, ...also];
    }
    this.changed();
  }

  panelAtFirst() {
    const { properties, trace, lasso } = this.about;
    return this.live && !(trace && (properties.length || lasso)) ? "moves" : "why";
  }

  // Change what is looked at. A new branch or panel is a new entry of the browser's history.
  go(changes) {
    const before = this.view;
    const view = { ...before, ...changes };
    view.step = Math.min(Math.max(1, view.step), branchLength(view.branch));
    if (view.branch !== before.branch) {
      view.also = [...new Set([...view.also, before.branch])].filter((b) => b !== view.branch);
    }
    const stepped = view.branch === before.branch && view.panel === before.panel;
    if (!stepped) {
      if (this.writing) this.write();
      history.pushState(null, "", writeAddress(view));
    }
    this.view = view;
    if (stepped && !this.writing) {
      this.writing = setTimeout(() => this.write(), Math.max(0, this.written + PAUSE - Date.now()));
    }
    this.changed();
  }

  // The address of what is looked at now, in place of the one before.
  write() {
    clearTimeout(this.writing);
    this.writing = null;
    this.written = Date.now();
    history.replaceState(null, "", writeAddress(this.view));
  }

  changed() {
    this.error = "";
    this.load();
    this.tell();
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }

  failed(wrong) {
    this.error = wrong.message;
    this.tell();
  }

  get line() {
    const branch = this.view.branch;
    if (!this.lines.has(branch)) {
      this.lines.set(branch, this.lineFrom(branch));
    }
    return this.lines.get(branch);
  }

  // A line that starts with what is known of the one it shares most states with.
  lineFrom(branch) {
    const length = branchLength(branch);
    let [shared, most] = [null, 0];
    for (const line of this.lines.values()) {
      const common = branchShared(line.branch, branch);
      if (common > most) [shared, most] = [line, common];
    }
    const frames = new Map([...(shared?.frames ?? [])].filter(([number]) => number <= most));
    return {
      branch,
      length,
      loop: null,
      steps: shared ? shared.steps.slice(0, most) : [],
      frames,
      wanted: new Set(frames.keys()),
      asked: new Set(),
      watched: new Map(),
      remembered: new Map(),
    };
  }

  step(number) {
    return this.line.steps[number - 1];
  }

  frame(number) {
    return this.line.frames.get(number);
  }

  // The colour of an action, the same wherever it occurs.
  hue(action) {
    const index = this.about.actions.findIndex((known) => known.name === action);
    return `hue-${Math.max(0, index) % 8}`;
  }

  // Get what the view needs: the steps in view first, the rest after, states around the one shown.
  async load() {
    const line = this.line;
    const at = this.view.step;
    try {
      await Promise.all([this.loadFrames(line, at), this.loadSpine(line, chunkOf(at))]);
      for (let chunk = 0; chunk * CHUNK < line.length; chunk += 1) {
        if (this.line !== line) return;
        await this.loadSpine(line, chunk);
      }
    } catch (wrong) {
      this.failed(wrong);
    }
  }

  async loadSpine(line, chunk) {
    if (line.asked.has(chunk)) return;
    line.asked.add(chunk);
    let from = chunk * CHUNK + 1;
    const last = Math.min(line.length, from + CHUNK - 1);
    while (from < last && line.steps[from - 1]) from += 1;
    const found = await this.source.spine(line.branch, from, last - from + 1).catch((wrong) => {
      line.asked.delete(chunk);
      throw wrong;
    });
    line.loop = found.loop;
    found.steps.forEach((step, i) => (line.steps[from - 1 + i] = step));
    line.remembered = new Map();
    this.tell();
  }

  // The state shown comes first and alone, and then those around it that nobody has asked for.
  async loadFrames(line, at) {
    await this.loadSome(line, at, at);
    await this.loadSome(line, Math.max(1, at - AROUND), Math.min(line.length, at + AROUND));
  }

  // Ask for the frames of a range that are not there or on their way, each once. A frame that is
  // there stays the same object: what shows it need not be drawn anew.
  async loadSome(line, first, last) {
    const missing = [];
    for (let n = first; n <= last; n += 1) if (!line.wanted.has(n)) missing.push(n);
    if (!missing.length) return;
    for (const number of missing) line.wanted.add(number);
    const [from, to] = [missing[0], missing.at(-1)];
    const found = await this.source.frames(line.branch, from, to - from + 1).catch((wrong) => {
      for (const number of missing) line.wanted.delete(number);
      throw wrong;
    });
    for (const frame of found) if (!line.frames.has(frame.number)) line.frames.set(frame.number, frame);
    this.tell();
  }

  // The answer to a question, or undefined until it is there.
  answer(key, ask) {
    if (!this.answers.has(key)) {
      this.answers.set(key, undefined);
      ask().then(
        (found) => {
          this.answers.set(key, found);
          this.tell();
        },
        (wrong) => {
          this.answers.set(key, { error: wrong.message });
          this.tell();
        },
      );
    }
    return this.answers.get(key);
  }

  // The states where a property turns false (a reachable one: true), as far as the line is known.
  turned(index) {
    return remembered(this.line, `turned ${index}`, () => {
      const wanted = this.about.properties[index].kind === "reachable" ? "1" : "0";
      const found = new Set();
      this.line.steps.forEach((step, i) => {
        const before = this.line.steps[i - 1]?.truths[index];
        if (step?.truths[index] === wanted && before !== wanted) found.add(i + 1);
      });
      return found;
    });
  }

  // Where the text looked for occurs in a step.
  get found() {
    const wanted = (this.view.find ?? "").toLowerCase();
    return remembered(this.line, `found ${wanted}`, () => {
      const numbers = new Set();
      if (!wanted) return numbers;
      this.line.steps.forEach((step, i) => {
        if (step?.label.toLowerCase().includes(wanted)) numbers.add(i + 1);
      });
      return numbers;
    });
  }

  // The values of a watched expression along the line: asked for as far as the line is known.
  watch(text) {
    const line = this.line;
    if (!line.watched.has(text)) {
      const held = { values: [], error: null };
      line.watched.set(text, held);
      this.loadWatch(line, text, held);
    }
    return line.watched.get(text);
  }

  async loadWatch(line, text, held) {
    try {
      while (held.values.length < line.length) {
        const from = held.values.length + 1;
        held.values.push(...(await this.source.watch(line.branch, text, from, CHUNK)));
        this.tell();
      }
    } catch (wrong) {
      held.error = wrong.message;
      this.tell();
    }
  }

  watched(text, number) {
    return this.watch(text).values[number - 1];
  }

  // The value at a state of what is followed: a property by name, or a watched expression.
  followed() {
    const { follow, watch } = this.view;
    const named = follow || this.about.violates || this.about.properties[0]?.name;
    const index = this.about.properties.findIndex((property) => property.name === named);
    if (index >= 0) return (number) => this.step(number)?.truths[index];
    if (watch.includes(named)) return (number) => this.watched(named, number);
    return null;
  }

  // Properties that turn false at a step.
  broken(number) {
    const step = this.step(number);
    if (!step) return [];
    const before = this.step(number - 1)?.truths ?? "";
    return this.about.properties.filter(
      (p, i) => p.kind !== "reachable" && "0!".includes(step.truths[i]) && step.truths[i] !== before[i],
    );
  }
}

// What follows from the steps of a line, computed once for those that are known.
function remembered(line, key, compute) {
  if (!line.remembered.has(key)) line.remembered.set(key, compute());
  return line.remembered.get(key);
}

function chunkOf(number) {
  return Math.floor((number - 1) / CHUNK);
}
