// The drawing of a state: a row an actor, its log as a lane, and what the actors share.

import { el } from "./dom.js";

const SHADES = 6;

export function picture(drawn) {
  const made = el("div", { class: "picture" });
  if (drawn.rows.length) made.append(actorTable(drawn));
  if (drawn.requests.length) made.append(requestTable(drawn));
  if (drawn.status.length) made.append(statusList(drawn.status));
  return made;
}

// Worth drawing: more than the variables that the whole state has anyway.
export function hasPicture(drawn) {
  return Boolean(drawn && drawn.rows.length);
}

function actorTable(drawn) {
  const views = inSyncViews(drawn.rows);
  const facts = drawn.rows[0].facts.filter((fact) => !["isr", "leader", "members"].includes(fact.kind));
  const titles = facts.map((fact) => fact.title);
  const members = drawn.rows[0].facts.filter((fact) => fact.kind === "members").map((f) => f.title);
  const width = cellWidth(drawn);
  const sets = [...views.map((view) => view.title), ...members];
  const head = el(
    "tr",
    {},
    el("td", {}, drawn.columns > 0 && "offset"),
    drawn.columns > 0 && el("th", { scope: "col", class: "lane-head" }, offsets(drawn.columns, width)),
    titles.map((title) => el("th", { scope: "col" }, title)),
    sets.map((title) => el("th", { scope: "col", class: "member" }, broken(title))),
  );
  const rows = drawn.rows.map((row) => {
    const held = row.facts.filter((fact) => titles.includes(fact.title));
    const among = row.facts.filter((fact) => fact.kind === "members");
    return el(
      "tr",
      { class: row.leads ? "leads" : "" },
      el("th", { scope: "row", class: "actor" }, actorName(row)),
      drawn.columns > 0 && el("td", { class: "lane-cell" }, lane(row, drawn.columns, width), notes(row)),
      held.map((fact) => el("td", {}, factValue(fact))),
      views.map((view) => memberMark(view.members.includes(row.actor), true)),
      among.map((fact) => memberMark(fact.value === "yes", fact.value === fact.before)),
    );
  });
  const marks = drawn.cursors.map((cursor) => cursorRow(cursor, drawn.columns, width));
  return el(
    "div",
    { class: "scroll-x" },
    el("table", { class: "lanes" }, el("thead", {}, head), el("tbody", {}, rows, marks)),
  );
}

// A title that may be broken after its dots.
function broken(title) {
  return title.split(/(?<=\.)/).map((part, i) => [i > 0 && el("wbr"), part]);
}

// Who is in sync in the eyes of each actor that leads.
function inSyncViews(rows) {
  return rows
    .filter((row) => row.leads && row.isr)
    .map((row) => ({ title: `ISR of ${row.actor}`, members: row.isr }));
}

function memberMark(inside, same) {
  const mark = inside ? "●" : "○";
  const text = inside ? "in" : "not in";
  return el(
    "td",
    { class: `member${inside ? " inside" : ""}${same ? "" : " changed"}` },
    el("span", { "aria-hidden": "true" }, mark),
    el("span", { class: "unseen" }, text),
  );
}

function actorName(row) {
  const says = row.leads === "stale" ? "leader, stale" : row.leads ? "leader" : row.follows && `follows ${row.follows}`;
  return [
    el("span", { class: "actor-name" }, row.actor),
    says && el("span", { class: `role ${row.leads || "follower"}` }, says),
  ];
}

function factValue(fact) {
  if (fact.value === fact.before) return el("span", { class: "value" }, fact.value);
  return [
    el("span", { class: "was" }, fact.before),
    " → ",
    el("span", { class: "value changed" }, fact.value),
  ];
}

function cellWidth(drawn) {
  const texts = drawn.rows.flatMap((row) => row.cells.map((cell) => cell.text.length));
  return Math.min(14, Math.max(3, ...texts)) + 2;
}

function offsets(columns, width) {
  const numbers = Array.from({ length: columns }, (_, i) => el("span", {}, i));
  return el("span", { class: "lane offsets", "--columns": columns, "--cell": `${width}ch` }, numbers);
}

function lane(row, columns, width) {
  const cells = row.cells.map((cell, offset) => laneCell(cell, offset));
  const made = el("span", { class: "lane", "--columns": columns, "--cell": `${width}ch` }, cells);
  made.append(el("span", { class: "log-end", "--at": row.log_end, title: `log end ${row.log_end}` }));
  if (row.high_watermark !== null) {
    const text = `high watermark ${row.high_watermark}`;
    const flag = el("span", { class: "hw-flag" }, "hw");
    made.append(el("span", { class: "hw", "--at": row.high_watermark, title: text }, flag));
  }
  return made;
}

function laneCell(cell, offset) {
  const kinds = ["cell", cell.mark];
  if (cell.shade !== null) kinds.push(`shade-${((cell.shade % SHADES) + SHADES) % SHADES}`);
  if (cell.committed) kinds.push("committed");
  if (cell.divergent) kinds.push("divergent");
  const says = [`offset ${offset}`, cell.text, cell.mark, cell.committed && "committed"];
  return el("span", { class: kinds.filter(Boolean).join(" "), title: says.filter(Boolean).join(", ") }, cell.text);
}

function notes(row) {
  const said = [];
  if (row.truncated_to !== null) said.push(`truncated to ${row.truncated_to}`);
  if (row.divergence !== null) said.push(`≠ ${row.compared} from offset ${row.divergence}`);
  return said.length ? el("span", { class: "lane-note" }, said.join("; ")) : null;
}

function cursorRow(cursor, columns, width) {
  const at = cursor.offset;
  const mark = at === null ? null : el("span", { class: "cursor", "--at": at }, "▲");
  const moved = at !== cursor.before && cursor.before !== null;
  const lane = el("span", { class: "lane", "--columns": columns, "--cell": `${width}ch` }, mark);
  const says = at === null ? "nowhere" : `at ${at}${moved ? `, was ${cursor.before}` : ""}`;
  return el(
    "tr",
    { class: "cursor-row" },
    el("th", { scope: "row", class: "actor" }, cursor.title),
    columns > 0 && el("td", { class: "lane-cell" }, lane),
    el("td", { colspan: 12 }, says),
  );
}

function requestTable(drawn) {
  const rows = drawn.requests.map((request, i) =>
    el(
      "tr",
      { class: request.new ? "changed-row" : "" },
      el("th", { scope: "row" }, `epoch ${request.epoch}`),
      el("td", { class: "request" }, request.text),
      drawn.rows.map((row) => {
        const status = row.requests[i] ?? "";
        return el("td", {}, el("span", { class: `reception ${status}` }, status));
      }),
    ),
  );
  const heads = drawn.rows.map((row) => el("th", { scope: "col" }, row.actor));
  const head = el("tr", {}, el("th", { scope: "col", colspan: 2 }, "Requests"), heads);
  return el(
    "div",
    { class: "scroll-x" },
    el("table", { class: "requests" }, el("thead", {}, head), el("tbody", {}, rows)),
  );
}

function statusList(facts) {
  const rows = facts.map((fact) => [el("dt", {}, fact.title), el("dd", {}, factValue(fact))]);
  return el("dl", { class: "status" }, rows);
}
