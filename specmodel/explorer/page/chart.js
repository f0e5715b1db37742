// Who spoke to whom: a lifeline for each actor, a row for each state, arrows for messages.

import { el, fill, plural, whenKnown } from "./dom.js";
import { outdated, Part } from "./part.js";

const [LEFT, ROW, TOP] = [44, 38, 12];
const LEAST_COLUMN = 96;
const CHARACTER = 6.1;
const EPOCH_SHADES = 6;
const BESIDE = 2;

export class ChartPanel extends Part {
  build() {
    this.flying = el("div.flying", { "aria-live": "polite" });
    this.drawing = el("div.chart-scroll", { tabindex: "0", role: "group", "aria-label": "Chart of messages" });
    fill(this, this.flying, this.drawing);
  }

  update() {
    const { store } = this;
    const { branch, step } = store.view;
    const found = store.ask("chart", { branch });
    const known = found && !found.error;
    const drawn = outdated(this.drawing, branch, found, this.drawing.clientWidth);
    const moved = outdated(this.flying, known && found, step);
    if (drawn) fill(this.drawing, whenKnown(found, () => this.chart(found)));
    if (moved) fill(this.flying, known && messagesAt(found, step));
    if (known && (drawn || moved)) this.mark(found, step);
  }

  // What belongs to the state shown is marked, and brought into view.
  mark({ messages }, step) {
    this.band.setAttribute("y", rowOf(step) - ROW / 2);
    this.arrows.forEach((arrow, i) => arrow.classList.toggle("in-flight", inFlight(messages[i], step)));
    const { scrollTop, clientHeight } = this.drawing;
    const [least, most] = [rowOf(step - BESIDE), rowOf(step + BESIDE)];
    if (least < scrollTop) this.drawing.scrollTop = least;
    else if (most > scrollTop + clientHeight) this.drawing.scrollTop = most - clientHeight;
  }

  chart({ lifelines, events, messages, leaderships }) {
    const { store } = this;
    const { length } = store.line;
    const column = Math.max(LEAST_COLUMN, Math.floor((this.drawing.clientWidth - LEFT) / lifelines.length));
    const at = new Map(lifelines.map((name, i) => [name, LEFT + column * (i + 0.5)]));
    const room = { column, width: LEFT + column * lifelines.length };
    const [width, height] = [room.width, rowOf(length + 1)];
    this.band = svg("rect", { class: "band", x: 0, y: 0, width, height: ROW });
    this.arrows = messages.map((message) => arrowOf(message, at, room, length));
    const go = ({ offsetY }) => {
      const number = Math.round((offsetY - TOP) / ROW + 0.5);
      store.go({ step: Math.min(Math.max(1, number), length) });
    };
    const label = `${plural(length, "state")} of ${lifelines.join(", ")}, with ${plural(messages.length, "message")}`;
    const heads = el("div.chart-heads", { "--wide": `${width}px`, "--column": `${column}px`, "aria-hidden": "true" }, lifelines.map((name) => el("span", name)));
    const drawn = svg(
      "svg",
      { role: "img", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}`, onclick: go },
      this.band,
      lifelines.map((name) => svg("line", { class: "lifeline", x1: at.get(name), x2: at.get(name), y1: 0, y2: height })),
      leaderships.map((run) => leading(run, at)),
      Array.from({ length }, (_, i) => text(LEFT - 10, rowOf(i + 1) + 4, String(i + 1), "chart-number")),
      this.arrows,
      events.filter(({ number }) => number <= length).map((event) => stepOf(event, at, room, store.hue(event.action))),
    );
    return [heads, drawn];
  }
}

const rowOf = (number) => TOP + ROW * (number - 0.5);

// A message is in flight in a state after the step that sends it, up to the step that takes it.
function inFlight({ sent, ended }, step) {
  return sent <= step && (ended === null || step < ended);
}

// The messages in flight in a state, as text.
function messagesAt({ messages }, step) {
  const found = messages.filter((message) => inFlight(message, step));
  const lines = found.map(({ source, target, text }) => el("li", `${source} → ${target || "?"}: `, el("code", text)));
  if (!messages.length) return el("p.quiet", "No messages: an arrow is a step from one actor to another.");
  return [
    el("p.quiet", `In flight in state ${step}: ${plural(found.length, "message")}`),
    lines.length > 0 && el("ul.plain", lines),
  ];
}

// A step: an arrow from who speaks to each who is spoken to, or a square at each that it changes.
function stepOf({ number, label, kind, source, targets, changes }, at, room, hue) {
  const y = rowOf(number);
  const places = targets.map((name) => at.get(name));
  const parts = [svg("title", {}, [label, ...changes].join("\n"))];
  if (kind === "message") {
    const from = at.get(source);
    for (const to of places) parts.push(line(from, y, to, y, "spoken"), headOf(from, y, to, y));
    parts.push(svg("circle", { cx: from, cy: y, r: 3.5 }));
    places.push(from);
  } else {
    const [least, most] = [Math.min(...places), Math.max(...places)];
    if (most > least) parts.push(line(least, y, most, y, "together"));
    for (const x of places) parts.push(svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10 }));
  }
  const middle = (Math.min(...places) + Math.max(...places)) / 2;
  parts.push(textWithin(middle, y - 9, cut(label, room.column * 1.4), "chart-label", room.width));
  return svg("g", { class: "chart-step", "--hue": hue }, parts);
}

// A message: an arrow from the row in which it was sent to that in which it was taken; a dashed one
// was lost, was taken before, or is still in flight.
function arrowOf({ text: said, source, target, sent, ended, fate, again, copied }, at, { column, width }, length) {
  const from = at.get(source);
  const [y1, y2] = [rowOf(sent), rowOf(ended ?? Math.min(length, sent + 1))];
  const wanted = target ? at.get(target) : from + column;
  const reaches = fate === "taken" ? 1 : fate === "lost" ? 0.75 : 0.45;
  const to = from === wanted ? from + column * 0.3 : from + (wanted - from) * reaches;
  const bad = fate === "lost" && text(to, y2 + 4, "✗", "lost");
  const told = [said, `sent in ${sent}`, ended ? `${fate} in ${ended}` : "not taken", again && "taken again", copied && "a copy"];
  const dashed = (fate !== "taken" || again || copied) && "dashed";
  return svg(
    "g",
    { class: `chart-message ${dashed || ""}` },
    svg("title", {}, told.filter(Boolean).join("\n")),
    line(from, y1, to, y2, "sent"),
    bad || headOf(from, y1, to, y2),
    textWithin((from * 2 + to) / 3, (y1 * 2 + y2) / 3 + 3, cut(said, column), "chart-text", width),
  );
}

// An actor that leads, in its own eyes or in those of all.
function leading({ lifeline, first, last, epoch, stale }, at) {
  const x = at.get(lifeline);
  const told = `${lifeline} leads${epoch === null ? "" : `, epoch ${epoch}`}${stale ? " (stale)" : ""}`;
  const drawn = line(x, rowOf(first), x, rowOf(last) + ROW / 2, `leading${stale ? " stale" : ""}`);
  drawn.style.setProperty("--hue", `var(--shade-${Math.max(0, epoch ?? 0) % EPOCH_SHADES})`);
  drawn.append(svg("title", {}, told));
  return drawn;
}

function headOf(x1, y1, x2, y2) {
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  return svg("path", { d: "M 0 0 L -9 -4.5 V 4.5 z", transform: `translate(${x2} ${y2}) rotate(${turn})` });
}

function line(x1, y1, x2, y2, kind) {
  return svg("line", { class: kind, x1, y1, x2, y2 });
}

function text(x, y, said, kind) {
  return svg("text", { class: kind, x, y }, said);
}

// A text around a place, moved so far that it does not leave the drawing.
function textWithin(x, y, said, kind, width) {
  const half = (said.length * CHARACTER) / 2;
  return text(Math.max(half, Math.min(x, width - half - 4)), y, said, kind);
}

// A text that is no wider than some pixels.
function cut(said, width) {
  const most = Math.floor(width / CHARACTER);
  return said.length > most ? `${said.slice(0, most - 1)}…` : said;
}

// An element of a drawing, as `el` makes those of the page.
function svg(tag, properties, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(Boolean));
  return made;
}
