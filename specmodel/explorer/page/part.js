// What the parts of the page have in common.

import { button, el, fill } from "./dom.js";

// A part of the page: built once, and updated whenever something is looked at or learnt.
export class Part extends HTMLElement {
  open(store) {
    this.store = store;
    this.build();
    return this;
  }

  build() {}

  // Draw an answer, if it or something else that the drawing shows is not what it was. Until the
  // answer is there the part shows that of the state before, and cannot be used.
  redraw(found, inputs, draw) {
    this.inert = found === undefined;
    if (found !== undefined && outdated(this, found, ...inputs)) fill(this, draw());
  }

  // A button that changes what is looked at.
  link(text, title, view, more) {
    return button(text, title, () => this.store.go(view), { class: "link", ...more });
  }

  // A button that follows a property or expression, or no longer.
  follower(name, title) {
    const followed = this.store.view.follow === name;
    return this.link(name, title, { follow: followed ? "" : name }, { class: "name", "aria-pressed": String(followed) });
  }
}

// A part of the page by the name of its element.
export function opened(tag, Kind, store) {
  if (!customElements.get(tag)) customElements.define(tag, Kind);
  return new Kind().open(store);
}

// Whether a component has to be drawn anew: what it is drawn from is not what it was. What a person
// has unfolded or scrolled stays as it is while something else is loading.
export function outdated(component, ...inputs) {
  const before = component.drawnFrom;
  component.drawnFrom = inputs;
  return !before || before.length !== inputs.length || inputs.some((value, i) => value !== before[i]);
}

// A list of all states. Only those in sight are in the page: so a long trace scrolls as a short one
// does. A subclass has: `name`, of its elements; `axis`, the properties of an element for the place
// it is scrolled to, its room and its extent; `size`, of a state in pixels; `margin`, the states
// beside the one shown that are in sight; `beyond`, those beyond what is in sight; `item(number)`,
// and `inputs(number)`, what that is drawn from.
export class StateList extends Part {
  // `from` and `room` are noted, because asking the page for them makes it lay everything out anew.
  scrollable(label, more) {
    this.inner = el(`div.${this.name}-inner`);
    this.items = new Map();
    const listbox = { role: "listbox", tabindex: "0", "aria-label": label, ...more };
    this.scroller = el(`div.${this.name}-scroll`, listbox, this.inner);
    [this.from, this.room] = [0, 0];
    const scrolled = () => {
      const before = this.from;
      this.from = this.scroller[this.axis[0]];
      if (Math.abs(this.from - before) >= 1) this.draw();
    };
    const resized = () => {
      this.room = this.scroller[this.axis[1]];
      this.update();
      this.settle();
    };
    this.scroller.addEventListener("scroll", scrolled, { passive: true });
    new ResizeObserver(resized).observe(this.scroller);
    return this.scroller;
  }

  update() {
    const { line, view } = this.store;
    const { from, room, size } = this;
    const whole = size * line.length;
    this.inner.style[this.axis[2]] = `${whole}px`;
    const seen = `${view.branch}/${view.step}/${size}/${room}`;
    if (this.seen !== seen) {
      this.seen = seen;
      const [start, beside] = [(view.step - 1) * size, this.margin * size];
      const end = start + size;
      let to = from;
      if (start < from + beside) to = start - beside - size;
      else if (end + beside > from + room) to = end + beside + size - room;
      this.from = Math.max(0, Math.min(to, whole - room));
      this.moved ||= this.from !== from;
    }
    this.draw();
  }

  // Scroll to where `update` has drawn. The browser lays everything out for it, so it is done once
  // all parts of the page have changed.
  settle() {
    if (this.moved) this.scroller[this.axis[0]] = this.from;
    this.moved = false;
  }

  // Elements of states that are drawn from the same as before stay: making 50 anew takes longer
  // than all else that a step changes.
  draw() {
    const { line, view } = this.store;
    const { from, room, items } = this;
    const first = Math.max(1, Math.floor(from / this.size) - this.beyond);
    const last = Math.min(line.length, Math.ceil((from + room) / this.size) + this.beyond);
    for (const [number, item] of items) {
      if (number >= first && number <= last) continue;
      item.remove();
      items.delete(number);
    }
    let before = this.overlay();
    for (let number = first; number <= last; number += 1) {
      const held = items.get(number);
      const inputs = [number === view.step, this.size, ...this.inputs(number)];
      if (!held || outdated(held, ...inputs)) {
        const item = this.item(number);
        item.drawnFrom = inputs;
        items.set(number, item);
        if (held) held.replaceWith(item);
        else if (before) before.after(item);
        else this.inner.prepend(item);
      }
      before = items.get(number);
      before.setAttribute("aria-setsize", line.length);
    }
    this.scroller.setAttribute("aria-activedescendant", `${this.name}-${view.step}`);
  }

  // What a state is drawn from, besides its place.
  inputs(number) {
    return [this.store.step(number), this.store.step(number - 1)];
  }

  // The element that lies over the states, if there is one.
  overlay() {
    return null;
  }

  // The element of a state.
  option(number, { class: kinds, ...properties }, ...children) {
    const selected = number === this.store.view.step;
    const told = {
      class: [kinds, selected && "selected", this.store.broken(number).length > 0 && "broken"],
      id: `${this.name}-${number}`,
      role: "option",
      "aria-selected": String(selected),
      "aria-posinset": number,
      "--at": `${(number - 1) * this.size}px`,
      ...properties,
    };
    return el("div", told, children);
  }
}
