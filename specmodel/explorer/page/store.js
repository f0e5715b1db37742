// What is looked at and what is known of it. Components ask here, and are told of changes.

import { branchLength, branchPrefix, branchShared, quoted, readAddress, wholePaths, writeAddress } from "./address.js";

const CHUNK = 250;
const AROUND = 12;
const MOST_LINES = 32;

// Browsers refuse, or ignore, more than some 100 changes of the address in 30 seconds. A held key
// makes as many in 4, so only the last step of each pause is written.
const PAUSE = 400;
const RETRY = 1500;
const POLL = 250;
const VERDICTS = "verdicts {}";

export class Store extends EventTarget {
  constructor(source) {
    super();
    this.source = source;
    this.lines = new Map();
    this.answers = new Map();
    this.view = { also: [], watch: [], hide: [], panel: "" };
    this.error = "";
    this.wrong = [];
    this.written = 0;
    this.writing = null;
    this.forgets = [];
    this.telling = null;
    this.retrying = null;
    this.polling = null;
    this.pushing = false;
    this.address = "";
  }

  async start() {
    const asked = readAddress(location.hash);
    this.about = await this.source.open(asked.of);
    this.of = this.about.of;
    this.live = this.about.live;
    this.drives = this.live || this.about.explored > 0;
    // Nobody has yet said what to show: a violation that the search finds is shown.
    this.unasked = this.live && !this.about.trace && !asked.branch;
    this.follow(this.source.of ? { ...asked, of: this.of } : asked);
    addEventListener("hashchange", () => this.goTo(readAddress(location.hash)));
  }

  // An address about something else begins the page anew: it holds nothing about that. Without a
  // name an address is about what the server has opened.
  goTo(asked) {
    if (this.live && (asked.of ? asked.of !== this.of : this.source.of)) location.reload();
    else this.follow(asked);
  }

  // Take over what an address says; what it leaves out is as it is at the beginning. What is wrong
  // with it is told until a person goes elsewhere.
  follow({ wrong, ...wanted }) {
    clearTimeout(this.writing);
    this.writing = null;
    this.pushing = false;
    this.address = location.hash;
    const branch = wanted.branch ?? this.about.start;
    const length = branchLength(branch);
    const also = this.others(branch, wanted.also);
    const step = Math.min(Math.max(1, wanted.step ?? length), length);
    const watch = wanted.watch.length ? wanted.watch : (this.about.watches ?? []);
    this.view = { panel: this.panelAtFirst(), ...wanted, watch, also, branch, step, of: this.of };
    this.wrong = [...wrong, ...this.misfits(wanted, length)];
    this.changed();
  }

  // What an address says that does not fit what the page is about, in words.
  *misfits({ step, follow, of }, length) {
    const { properties } = this.about;
    if (of && of !== this.of) yield `it was made for ${quoted(of)}, and this page is about ${quoted(this.of)}`;
    if (step !== undefined && step !== this.view.step) yield `there is no state ${step}: the behaviour has ${length}`;
    const known = [...properties.map(({ name }) => name), ...this.view.watch];
    if (follow && !known.includes(follow)) yield `${quoted(follow)} is no property and not watched`;
  }

  // The other branches to keep beside the one shown: the start is kept anyway, parts of a path are not.
  others(branch, also) {
    return wholePaths([...also, branch]).filter((other) => other !== branch && other !== this.about.start);
  }

  panelAtFirst() {
    const { properties, trace, lasso } = this.about;
    if (!trace) return this.live ? "verdicts" : "moves";
    return this.drives && !(properties.length || lasso) ? "moves" : "why";
  }

  // Change what is looked at. Another branch, panel or state is a new entry of the browser's history;
  // of states less than a pause apart, the last one.
  go(changes) {
    const before = this.view;
    this.unasked = false;
    const view = { ...before, ...changes };
    this.wrong = [];
    view.step = Math.min(Math.max(1, view.step), branchLength(view.branch));
    if (view.branch !== before.branch) {
      view.also = this.others(view.branch, [...view.also, before.branch]);
    }
    const stepped = view.branch === before.branch && view.panel === before.panel;
    if (!stepped) {
      if (this.writing) this.write();
      this.show(view, true);
    }
    this.view = view;
    this.pushing ||= stepped && view.step !== before.step;
    if (stepped && !this.writing) {
      this.writing = setTimeout(() => this.write(), Math.max(0, this.written + PAUSE - Date.now()));
    }
    this.changed();
  }

  // The address of what is looked at now: after the one before if the state is another, or in place
  // of it.
  write() {
    clearTimeout(this.writing);
    this.writing = null;
    this.written = Date.now();
    this.show(this.view, this.pushing);
    this.pushing = false;
  }

  // Show an address, as a new entry of the history or in place of the last one. Where it is another
  // than was shown, a link was followed, and its event is still to come.
  show(view, isNew) {
    if (location.hash !== this.address) return;
    const address = writeAddress(view);
    if (isNew && address !== location.hash) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.address = location.hash;
  }

  changed() {
    this.error = "";
    this.load();
    this.tell();
  }

  tell() {
    cancelAnimationFrame(this.telling);
    this.telling = null;
    this.dispatchEvent(new Event("change"));
  }

  // Tell of answers: once for all that come before the next picture.
  tellSoon() {
    this.telling ??= requestAnimationFrame(() => this.tell());
  }

  failed(wrong) {
    this.error = wrong.message;
    this.tell();
    this.retryAfter(wrong);
  }

  // Ask again for what is in view, after a while, if the server was away; `forget` drops the answer
  // that said so.
  retryAfter(wrong, forget) {
    if (!wrong.passes) return;
    if (forget) this.forgets.push(forget);
    this.retrying ??= setTimeout(() => {
      this.retrying = null;
      for (const each of this.forgets.splice(0)) each();
      this.load();
      this.tell();
    }, RETRY);
  }

  get line() {
    const branch = this.view.branch;
    if (!this.lines.has(branch)) {
      this.lines.set(branch, this.lineFrom(branch));
      if (this.lines.size > MOST_LINES) this.lines.delete(this.lines.keys().next().value);
    }
    return this.lines.get(branch);
  }

  // A line that starts with what is known of the one it shares most states with. Where it loops comes
  // with its last step, which is asked for in any case.
  lineFrom(branch) {
    const length = branchLength(branch);
    let [shared, most] = [null, 0];
    for (const line of this.lines.values()) {
      const common = branchShared(line.branch, branch);
      if (common > most) [shared, most] = [line, common];
    }
    const part = (name, last) => {
      const known = new Map([...(shared?.[name].known ?? [])].filter(([number]) => number <= last));
      return { known, wanted: new Set(known.keys()) };
    };
    const steps = part("spine", most);
    steps.wanted.delete(length);
    return {
      branch,
      length,
      loop: null,
      spine: steps,
      frames: part("frames", most),
      watched: new Map(),
      remembered: new Map(),
    };
  }

  // The states shown up to here, as a branch of their own.
  get here() {
    return branchPrefix(this.view.branch, this.view.step);
  }

  step(number) {
    return this.line.spine.known.get(number);
  }

  frame(number) {
    return this.line.frames.known.get(number);
  }

  // The variables of a state, in order, and those of them that are shown.
  get variables() {
    const [frame] = this.line.frames.known.values();
    return frame?.state.parts?.map(([name]) => name) ?? [];
  }

  get shownVariables() {
    return this.variables.filter((name) => this.shows(name));
  }

  shows(name) {
    const { hide, only } = this.view;
    return !hide.includes(name) && name.toLowerCase().includes((only ?? "").toLowerCase());
  }

  // The colour of an action, the same wherever it occurs.
  hue(action) {
    const index = this.about.actions.findIndex((known) => known.name === action);
    return `var(--hue-${Math.max(0, index) % 8})`;
  }

  // Get what the view needs: the steps in view first, the rest after, states around the one shown,
  // which comes first and alone.
  async load() {
    const line = this.line;
    const at = this.view.step;
    const chunk = (from) => this.loadSome(line, "spine", from, from + CHUNK - 1);
    try {
      await Promise.all([
        this.loadSome(line, "frames", at, at).then(() => this.loadSome(line, "frames", at - AROUND, at + AROUND)),
        chunk(at - ((at - 1) % CHUNK)),
      ]);
      for (let from = 1; from <= line.length; from += CHUNK) {
        if (this.line !== line) return;
        await chunk(from);
      }
      // Another load may still be without what is in view: what it said stays.
      if (this.error && !this.retrying && this.frame(this.view.step) && line.spine.known.size === line.length) {
        this.error = "";
        this.tell();
      }
    } catch (wrong) {
      this.failed(wrong);
    }
  }

  // Ask for the steps or frames of a range that are not there or on their way, each once. What is
  // there stays the same object: what shows it need not be drawn anew.
  async loadSome(line, name, first, last) {
    const { known, wanted } = line[name];
    const missing = [];
    for (let n = Math.max(1, first); n <= Math.min(line.length, last); n += 1) if (!wanted.has(n)) missing.push(n);
    if (!missing.length) return;
    for (const number of missing) wanted.add(number);
    const [from, to] = [missing[0], missing.at(-1)];
    const query = { branch: line.branch, from, count: to - from + 1 };
    const found = await this.source.ask(name, query).catch((wrong) => {
      for (const number of missing) wanted.delete(number);
      throw wrong;
    });
    if (name === "spine") line.loop = found.loop;
    for (const one of found.steps ?? found) if (!known.has(one.number)) known.set(one.number, one);
    this.tellSoon();
  }

  // As above, for what a part of the page has come to show.
  want(name, first, last) {
    this.loadSome(this.line, name, first, last).catch((wrong) => this.failed(wrong));
  }

  // The answer to a question, or undefined until it is there. Each is asked once.
  ask(name, query = {}) {
    const key = `${name} ${JSON.stringify(query)}`;
    if (!this.answers.has(key)) {
      const keep = (found) => {
        this.answers.set(key, found);
        this.tellSoon();
      };
      this.answers.set(key, undefined);
      this.source.ask(name, query).then(keep, (wrong) => {
        keep({ error: wrong.message });
        this.retryAfter(wrong, () => this.answers.delete(key));
      });
    }
    return this.answers.get(key);
  }

  // The search of the whole design: its progress, asked for again until it has its verdicts.
  verdicts() {
    const found = this.ask("verdicts");
    if (found?.running) this.polling ??= setTimeout(() => this.poll(), POLL);
    else if (found && this.unasked) this.showViolation(found);
    return found;
  }

  async poll() {
    const found = await this.source.ask("verdicts", {}).catch((wrong) => {
      this.retryAfter(wrong, () => this.answers.delete(VERDICTS));
      return { error: wrong.message };
    });
    this.answers.set(VERDICTS, found);
    this.polling = null;
    this.tellSoon();
  }

  // Go to the shortest counterexample, if there is one.
  showViolation({ properties = [] }) {
    this.unasked = false;
    const ways = properties.filter((found) => found.branch && isViolated(found));
    const [first] = ways.sort((one, other) => one.steps - other.steps);
    if (first) queueMicrotask(() => this.go({ branch: first.branch, step: Infinity, follow: first.name }));
  }

  // The states where a property turns false (a reachable one: true), as far as the line is known.
  turned(index) {
    const wanted = this.about.properties[index].kind === "reachable" ? "1" : "0";
    return this.stepsWhere(`turned ${index}`, (step) => {
      return step.truths[index] === wanted && this.step(step.number - 1)?.truths[index] !== wanted;
    });
  }

  // Where the text looked for occurs in a step.
  get found() {
    const wanted = (this.view.find ?? "").toLowerCase();
    return this.stepsWhere(`found ${wanted}`, (step) => wanted && step.label.toLowerCase().includes(wanted));
  }

  // The numbers of some of the known steps of the line, worked out once for those that are known.
  stepsWhere(key, holds) {
    const { remembered, spine } = this.line;
    const { known } = spine;
    if (remembered.get(key)?.size !== known.size) {
      const numbers = [...known.values()].filter(holds).map((step) => step.number);
      remembered.set(key, { size: known.size, numbers: new Set(numbers) });
    }
    return remembered.get(key).numbers;
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
    const { branch, length } = line;
    try {
      while (held.values.length < length) {
        const from = held.values.length + 1;
        held.values.push(...(await this.source.ask("watch", { branch, text, from, count: CHUNK })));
        this.tellSoon();
      }
    } catch (wrong) {
      held.error = wrong.message;
      this.tell();
      this.retryAfter(wrong, () => line.watched.delete(text));
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
    return turnedFalse(this.about.properties, step.truths, this.step(number - 1)?.truths ?? "");
  }
}

// The properties that turn false, or fail, by the truths in a state and in the state before.
export function turnedFalse(properties, truths, before) {
  return properties.filter((p, i) => p.kind !== "reachable" && "0!".includes(truths[i]) && truths[i] !== before[i]);
}

// Whether a verdict is a violation: a reachable property that is never met breaks nothing.
export function isViolated({ kind, verdict }) {
  return verdict === "violated" && kind !== "reachable";
}
