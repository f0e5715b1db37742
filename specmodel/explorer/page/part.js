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
// beside the one shown that are in sight; `beyond`, those beyond what is in sight; `item(number)`.
export class StateList extends Part {
  // `from` and `room` are noted, because asking the page for them makes it lay everything out anew.
  scrollable(label, more) {
    this.inner = el(`div.${this.name}-inner`);
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
    };
    this.scroller.addEventListener("scroll", scrolled, { passive: true });
    new ResizeObserver(resized).observe(this.scroller);
    return this.scroller;
  }

  update() {
    const { line, view } = this.store;
    const { from, room, size } = this;
    const [scrolled, , extent] = this.axis;
    const whole = size * line.length;
    this.inner.style[extent] = `${whole}px`;
    const seen = `${view.branch}/${view.step}/${size}/${room}`;
    if (this.seen !== seen) {
      this.seen = seen;
      const [start, beside] = [(view.step - 1) * size, this.margin * size];
      const end = start + size;
      let to = from;
      if (start < from + beside) to = start - beside - size;
      else if (end + beside > from + room) to = end + beside + size - room;
      this.from = Math.max(0, Math.min(to, whole - room));
      if (this.from !== from) this.scroller[scrolled] = this.from;
    }
    this.draw();
  }

  draw() {
    const { line, view } = this.store;
    const { from, room } = this;
    const first = Math.max(1, Math.floor(from / this.size) - this.beyond);
    const last = Math.min(line.length, Math.ceil((from + room) / this.size) + this.beyond);
    const items = [];
    for (let number = first; number <= last; number += 1) items.push(this.item(number));
    fill(this.inner, this.overlay(), items);
    this.scroller.setAttribute("aria-activedescendant", `${this.name}-${view.step}`);
  }

  // What lies over the states.
  overlay() {}

  // The element of a state.
  option(number, { class: kinds, ...properties }, ...children) {
    const { line, view } = this.store;
    const selected = number === view.step;
    const told = {
      class: [kinds, selected && "selected", this.store.broken(number).length > 0 && "broken"],
      id: `${this.name}-${number}`,
      role: "option",
      "aria-selected": String(selected),
      "aria-posinset": number,
      "aria-setsize": line.length,
      "--at": `${(number - 1) * this.size}px`,
      ...properties,
    };
    return el("div", told, children);
  }
}
