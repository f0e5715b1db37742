// The dialog in which other constants and another design are chosen, and what a search of them costs.

import { button, el, fill, plural } from "./dom.js";

// Opens a new dialog: what was chosen in one before is not kept.
export function chooser(store) {
  const { about, source } = store;
  const design = about.of.split(" ")[0];
  const chosen = about.constants.filter(({ value }) => /^(-?\d+|true|false)$/.test(value));
  const own = [design, ...chosen.map(({ name, value }) => `${name}=${value}`)].join(" ");
  const select = el("select", { id: "chosen-design" });
  const fields = el("div.chosen-constants");
  const told = el("p.quiet", { role: "status" });

  const wanted = () => {
    const values = [...fields.querySelectorAll("input")].map((i) => `${i.name}=${i.type === "checkbox" ? i.checked : i.value}`);
    return [select.value, ...values].join(" ");
  };
  // The answer to a question about what is chosen, or null; the dialog says why there is none.
  const asked = async (name, of, meanwhile) => {
    fill(told, meanwhile);
    return source.ask(name, { design: of }).catch((wrong) => {
      fill(told, el("span.wrong", wrong.message));
      return null;
    });
  };
  const showConstants = async () => {
    const isOwn = select.value === design;
    const found = await asked("constants", isOwn ? own : select.value, "Loading …");
    fill(fields, (found ?? []).map(constantField));
    if (found) fill(told, found.length ? "" : "This design has no constants that can be chosen.");
  };
  const estimate = async () => {
    const found = await asked("cost", wanted(), "Searching for 3 s …");
    if (found) fill(told, costText(found));
  };
  const open = async () => {
    const of = wanted();
    if (await asked("constants", of, "Loading …")) location.hash = `#/?${new URLSearchParams({ of })}`;
  };

  const back = about.trace && el("p.quiet", "The trace stays where it is: the browser's Back leads to it.");
  const dialog = el(
    "dialog.chooser",
    { "aria-label": "Constants and design", onclose: () => dialog.remove() },
    el("h2", "Constants and design"),
    el("label.field", { for: "chosen-design" }, "Design ", select),
    fields,
    back,
    told,
    el(
      "div.actions",
      button("Open", "Show the design at these constants", open),
      button("What it costs", "Search for 3 s, and estimate the number of states", estimate),
      button("Close", "", () => dialog.close()),
    ),
  );
  select.addEventListener("change", showConstants);
  fill(select, el("option", { value: design }, design));
  source.ask("rivals", {}).then(
    (rivals) => select.append(...rivals.map(({ name, question }) => el("option", { value: name, title: question }, name))),
    (wrong) => fill(told, el("span.wrong", wrong.message)),
  );
  showConstants();
  document.querySelector("spec-explorer").append(dialog);
  return dialog;
}

function constantField({ name, value, low, high, doc }) {
  const isTruth = value === "true" || value === "false";
  const kind = isTruth ? { type: "checkbox", checked: value === "true" } : { type: "number", value, min: low, max: high };
  return el("label.field", { title: doc }, el("input", { name, ...kind }), el("span", name, doc && el("span.quiet", ` ${doc}`)));
}

// What a search of some seconds says of the whole.
function costText({ bits, states, seconds, complete, likely }) {
  const size = bits === null ? "" : `A state has ${plural(bits, "bit")}. `;
  if (complete) return `${size}There are ${plural(states, "state")}; a search of all takes ${seconds} s.`;
  const begun = `${size}The search had ${plural(states, "state")} after ${seconds} s, and was not done.`;
  if (!likely) return `${begun} It is too early to say how many there are.`;
  const [least, middle, most] = likely.map((count) => Number(count.toPrecision(2)).toLocaleString("en"));
  const time = Math.max(1, Math.round((seconds * likely[1]) / Math.max(1, states)));
  return `${begun} There are about ${middle} in all (${least} to ${most}), which take some ${time} s.`;
}
