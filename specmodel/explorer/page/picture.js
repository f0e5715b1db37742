// The drawing of a state: a row an actor, its log as a lane, and what the actors share.

import { columnHead, el, row, rowHead, table, valueText } from "./dom.js";

const SHADES = 6;
const DRAWN_APART = ["isr", "leader", "members"];

export function picture(drawn) {
  return el(
    "div.picture",
    drawn.rows.length > 0 && el("div.scroll-x", actorTable(drawn)),
    drawn.requests.length > 0 && el("div.scroll-x", requestTable(drawn)),
    drawn.messages?.length > 0 && el("div.scroll-x", messageTable(drawn.messages)),
    drawn.messages?.length === 0 && el("p.quiet", "No messages in flight"),
    drawn.status.length > 0 && statusList(drawn.status),
  );
}

// Worth drawing: more than the variables that the whole state has anyway.
export function hasPicture(drawn) {
  return Boolean(drawn && drawn.rows.length);
}

function actorTable({ rows, columns, cursors }) {
  const views = inSyncViews(rows);
  const plain = (fact) => !DRAWN_APART.includes(fact.kind);
  const members = (fact) => fact.kind === "members";
  const { facts } = rows[0];
  const width = cellWidth(rows);
  const sets = [...views, ...facts.filter(members)];
  const heads = row([
    columns > 0 ? "offset" : null,
    columns > 0 && el("th.lane-head", { scope: "col" }, offsets(columns, width)),
    ...facts.filter(plain).map((fact) => columnHead(fact.title)),
    ...sets.map(({ title }) => el("th.member", { scope: "col" }, breakable(title))),
  ]);
  const lines = rows.map((actor) =>
    row(
      [
        el("th.actor", { scope: "row" }, actorName(actor)),
        columns > 0 && el("td.lane-cell", logLane(actor, columns, width), notes(actor)),
        ...actor.facts.filter(plain).map((fact) => valueText(fact.before, fact.value)),
        ...views.map((view) => memberMark(view.members.includes(actor.actor), true)),
        ...actor.facts.filter(members).map((fact) => memberMark(fact.value === "yes", fact.value === fact.before)),
      ],
      { class: actor.leads && "leads" },
    ),
  );
  return table("lanes", [lines, cursors.map((cursor) => cursorRow(cursor, columns, width))], heads);
}

// A title that may be broken after its dots.
function breakable(title) {
  return title.split(/(?<=\.)/).map((part, i) => [i > 0 && el("wbr"), part]);
}

// Who is in sync in the eyes of each actor that leads.
function inSyncViews(rows) {
  return rows
    .filter((actor) => actor.leads && actor.isr)
    .map((actor) => ({ title: `ISR of ${actor.actor}`, members: actor.isr }));
}

function memberMark(inside, same) {
  return el(
    "td.member",
    { class: [inside && "inside", !same && "changed"] },
    el("span", { "aria-hidden": "true" }, inside ? "●" : "○"),
    el("span.unseen", inside ? "in" : "not in"),
  );
}

function actorName({ actor, leads, follows }) {
  const says = leads === "stale" ? "leader, stale" : leads ? "leader" : follows && `follows ${follows}`;
  return [el("span.actor-name", actor), says && el("span.role", { class: leads || "follower" }, says)];
}

function cellWidth(rows) {
  const texts = rows.flatMap((actor) => actor.cells.map((cell) => cell.text.length));
  return Math.min(14, Math.max(3, ...texts)) + 2;
}

function lane(columns, width, ...children) {
  return el("span.lane", { "--columns": columns, "--cell": `${width}ch` }, children);
}

function offsets(columns, width) {
  const made = lane(columns, width, Array.from({ length: columns }, (_, i) => el("span", i)));
  made.classList.add("offsets");
  return made;
}

function logLane({ cells, log_end: end, high_watermark: high }, columns, width) {
  return lane(
    columns,
    width,
    cells.map(laneCell),
    el("span.log-end", { "--at": end, title: `log end ${end}` }),
    high !== null && el("span.hw", { "--at": high, title: `high watermark ${high}` }, el("span.hw-flag", "hw")),
  );
}

function laneCell({ text, shade, mark: kind, committed, divergent }, offset) {
  const shaded = shade !== null;
  const colour = shaded && `var(--shade-${((shade % SHADES) + SHADES) % SHADES})`;
  const says = [`offset ${offset}`, text, kind, committed && "committed"].filter(Boolean).join(", ");
  const kinds = [kind, shaded && "shaded", committed && "committed", divergent && "divergent"];
  return el("span.cell", { class: kinds, "--shade": colour, title: says }, text);
}

function notes({ truncated_to: truncated, divergence, compared }) {
  const said = [];
  if (truncated !== null) said.push(`truncated to ${truncated}`);
  if (divergence !== null) said.push(`≠ ${compared} from offset ${divergence}`);
  return said.length > 0 && el("span.lane-note", said.join("; "));
}

function cursorRow({ title, offset, before }, columns, width) {
  const was = offset !== before && before !== null ? `, was ${before}` : "";
  const arrow = offset !== null && el("span.cursor", { "--at": offset }, "▲");
  return row(
    [
      el("th.actor", { scope: "row" }, title),
      columns > 0 && el("td.lane-cell", lane(columns, width, arrow)),
      el("td", { colspan: 12 }, offset === null ? "nowhere" : `at ${offset}${was}`),
    ],
    { class: "cursor-row" },
  );
}

function requestTable({ rows, requests }) {
  const heads = row([el("th", { scope: "col", colspan: 2 }, "Requests"), ...rows.map(({ actor }) => columnHead(actor))]);
  const reception = (status) => el("span.reception", { class: status }, status);
  const lines = requests.map((request, i) => {
    const received = rows.map((actor) => reception(actor.requests[i] ?? ""));
    const told = [rowHead(`epoch ${request.epoch}`), el("td.request", request.text), ...received];
    return row(told, { class: request.new && "changed-row" });
  });
  return table("requests", lines, heads);
}

// The messages in flight, from whom and to whom; an end that a message does not name is empty.
function messageTable(messages) {
  const heads = row([columnHead("From"), columnHead("To"), columnHead("Message")]);
  const lines = messages.map(({ text, sources, targets, count, before }) => {
    const copies = count > 1 && el("span.copies", ` ×${count}`);
    const cells = [rowHead(sources.join(", ")), ["→ ", targets.join(", ")], el("td.request", text, copies)];
    return row(cells, { class: count > before && "changed-row" });
  });
  return table("requests.messages", lines, heads);
}

function statusList(facts) {
  const rows = facts.map(({ title, before, value }) => [el("dt", title), el("dd", valueText(before, value))]);
  return el("dl.status", rows);
}
