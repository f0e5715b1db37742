// The same steps on another design, side by side, to the first that cannot happen there.

import { el, fill, stepText } from "./dom.js";

export class ComparePanel extends HTMLElement {
  open(store) {
    this.store = store;
    this.select = el("select", {
      id: "rival",
      onchange: () => store.go({ with: this.select.value }),
    });
    this.body = el("div");
    this.append(el("label", { class: "field", for: "rival" }, "The same steps on ", this.select), this.body);
  }

  update() {
    const { store } = this;
    const rivals = store.answer("rivals", () => store.source.ask("rivals", {}));
    if (!rivals) return;
    if (rivals.error) {
      fill(this.body, el("p", { class: "wrong" }, rivals.error));
      return;
    }
    this.fillSelect(rivals);
    const compared = comparison(store);
    if (!store.view.with) {
      fill(this.body, el("p", { class: "quiet" }, "Choose a design: the steps of this behaviour are done on it, as far as they can happen there."));
    } else if (compared === undefined) fill(this.body, el("p", { class: "quiet" }, "…"));
    else if (compared.error) fill(this.body, el("p", { class: "wrong" }, compared.error));
    else fill(this.body, this.report(compared));
  }

  fillSelect(rivals) {
    const wanted = this.store.view.with ?? "";
    if (this.select.options.length === 0) {
      const option = (rival) => el("option", { value: rival.name, title: rival.question }, rival.name);
      const near = rivals.filter((rival) => rival.near).map(option);
      const far = rivals.filter((rival) => !rival.near).map(option);
      fill(
        this.select,
        el("option", { value: "" }, "…"),
        near.length > 0 && el("optgroup", { label: "of the same files" }, near),
        el("optgroup", { label: "others" }, far),
      );
    }
    this.select.value = wanted;
  }

  report(compared) {
    const { store } = this;
    const rows = compared.rows.map((row) => this.row(row));
    if (compared.blocked) rows.push(this.blockedRow(compared.blocked));
    return [
      el("p", { class: compared.blocked ? "headline blocked" : "headline" }, `${compared.design} ${compared.headline}`),
      compared.blocked && this.guards(compared),
      el(
        "table",
        { class: "compared" },
        el(
          "thead",
          {},
          el("tr", {}, el("td"), el("th", { scope: "col" }, store.about.design), el("th", { scope: "col" }, compared.design)),
        ),
        el("tbody", {}, rows),
      ),
    ];
  }

  row(row) {
    const { store } = this;
    const current = row.state === store.view.step;
    const there = row.taken === null ? "is so already" : row.taken === row.recorded ? "the same" : stepText(row.taken);
    return el(
      "tr",
      { class: current ? "current" : "", onclick: () => store.go({ step: row.state }) },
      el("th", { scope: "row" }, row.state),
      el("td", {}, row.recorded === null ? "" : stepText(row.recorded)),
      el("td", { class: row.taken === row.recorded ? "quiet" : "" }, there),
    );
  }

  blockedRow(blocked) {
    const { store } = this;
    const current = blocked.state === store.view.step;
    return el(
      "tr",
      { class: `blocked${current ? " current" : ""}`, onclick: () => store.go({ step: blocked.state }) },
      el("th", { scope: "row" }, blocked.state),
      el("td", {}, stepText(blocked.step)),
      el("td", {}, "✗ cannot happen"),
    );
  }

  guards(compared) {
    const { blocked } = compared;
    if (!blocked.attempts.length) {
      return el("p", {}, `${compared.design} has no action of the kind ${blocked.kind}.`);
    }
    return el(
      "section",
      { class: "guards" },
      blocked.attempts.map((attempt) => [
        el("h4", {}, stepText(attempt.step)),
        el(
          "ul",
          {},
          attempt.guards.map((guard) =>
            el(
              "li",
              { class: guard.value === true ? "quiet" : "guard-false" },
              el("span", { class: guard.value === true ? "mark-true" : "mark-false" }, guard.value === true ? "✓ " : "✗ "),
              guard.value === true ? null : el("strong", {}, guard.said),
              el("code", { title: guard.place }, guard.value === true ? guard.text : `requires ${guard.text}`),
            ),
          ),
        ),
        attempt.failure && el("p", { class: "wrong" }, attempt.failure),
      ]),
      blocked.after.length > 0 && el("p", { class: "quiet" }, `It could happen after ${blocked.after.join(", ")}.`),
    );
  }
}

// What is known of the comparison that the view asks for; undefined until it is there.
export function comparison(store) {
  const { branch } = store.view;
  const rival = store.view.with;
  if (!rival) return undefined;
  const known = store.answers.has(`compare ${branch} ${rival}`);
  const found = store.answer(`compare ${branch} ${rival}`, () =>
    store.source.ask("compare", { branch, with: rival }).then((compared) => {
      store.landing = { branch, rival, compared };
      return compared;
    }),
  );
  if (found && !known) return found;
  return found;
}

// The state of the rival's that stands beside a state of the behaviour, and whether it is stuck.
export function counterpart(compared, step) {
  const rows = compared.rows.filter((row) => row.state <= step);
  const there = rows.length ? rows.at(-1).there : 1;
  return { there, stuck: Boolean(compared.blocked && step >= compared.blocked.state) };
}
