// What can happen in the state shown, what cannot and why, and the branches made so far.

import { branchLength, branchPrefix, branchShared } from "./address.js";
import { changeBrief } from "./changes.js";
import { button, el, fill, outdated, plural } from "./dom.js";

export class MovesPanel extends HTMLElement {
  open(store) {
    this.store = store;
    this.unfolded = new Set();
  }

  update() {
    const { branch, step } = this.store.view;
    const here = branchPrefix(branch, step);
    const found = this.store.answer(`moves ${here}`, () =>
      this.store.source.ask("moves", { branch: here, state: step }),
    );
    this.inert = found === undefined; // what is listed is of the state before
    if (found === undefined) return;
    const reasons = [...this.unfolded].map((action) => this.store.answers.get(`reasons ${here} ${action}`));
    const next = this.store.step(step + 1);
    if (!outdated(this, found, here, branch, next, this.store.view.also, this.unfolded.size, ...reasons)) return;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    fill(
      this,
      found.error ? el("p", { class: "wrong" }, found.error) : this.choices(found, here, step),
      this.branches(),
    );
    if (focused) this.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  choices(found, here, step) {
    const can = found.groups.filter((group) => group.bindings.some((b) => b.changes));
    const cannot = found.groups.filter((group) => group.bindings.some((b) => !b.changes));
    const count = can.reduce((n, group) => n + group.bindings.filter((b) => b.changes).length, 0);
    return [
      el("h3", {}, count ? `${plural(count, "step")} can happen in state ${step}` : `Nothing can happen in state ${step}`),
      !found.explored && el("p", { class: "quiet" }, "A state constraint is false here: a check goes no further."),
      can.map((group) => this.group(group, here, step)),
      cannot.length > 0 && el("h3", {}, "Cannot happen"),
      cannot.map((group) => this.refused(group, here, step)),
    ];
  }

  group(group, here, step) {
    const next = this.store.step(step + 1)?.binding;
    const rows = group.bindings
      .filter((binding) => binding.changes)
      .map((binding) => {
        const named = binding.arguments.map(([name, value]) => `${name}=${value}`).join(", ");
        const brief = changeBrief(binding.changes) || "changes nothing";
        const taken = binding.binding === next;
        return el(
          "button",
          {
            type: "button",
            class: `move${taken ? " taken" : ""}`,
            "data-key": `move-${binding.binding}`,
            title: brief,
            onclick: () => this.take(here, binding.binding),
          },
          el("span", { class: "move-arguments" }, named || "do it", taken && el("span", { class: "tag" }, "taken")),
          el("span", { class: "move-effect" }, brief),
        );
      });
    return el("section", { class: "move-group" }, el("h4", {}, group.action), rows);
  }

  // The branch that goes on by a step: one that is there already, or a new one.
  take(here, binding) {
    const { view } = this.store;
    const next = `${here}.${binding}`;
    const step = view.step + 1;
    if (this.store.step(step)?.binding === binding) this.store.go({ step });
    else this.store.go({ branch: next, step });
  }

  refused(group, here, step) {
    const disabled = group.bindings.filter((binding) => !binding.changes);
    const key = `${group.action}`;
    const made = el(
      "details",
      { class: "refused" },
      el("summary", { "data-key": `refused-${key}` }, el("span", {}, group.action), el("span", { class: "count" }, plural(disabled.length, "binding"))),
    );
    const show = () => {
      const reasons = this.store.answer(`reasons ${here} ${group.action}`, () =>
        this.store.source.ask("reasons", { branch: here, state: step, action: group.action }),
      );
      if (!reasons || reasons.error) return el("p", { class: "quiet" }, reasons?.error ?? "…");
      const told = new Map(reasons.map((row) => [row.binding, row]));
      return disabled.map((binding) => this.reason(binding, told.get(binding.binding)));
    };
    if (this.unfolded.has(key)) {
      made.open = true;
      made.append(el("div", { class: "reasons" }, show()));
    }
    made.addEventListener("toggle", () => {
      if (made.open === this.unfolded.has(key)) return;
      if (made.open) this.unfolded.add(key);
      else this.unfolded.delete(key);
      this.update();
    });
    return made;
  }

  reason(binding, told) {
    const named = binding.arguments.map(([name, value]) => `${name}=${value}`).join(", ");
    const guard = told?.guards.find((g) => g.value !== true);
    const why = binding.failure ?? told?.failure ?? guard?.said ?? "";
    return el(
      "div",
      { class: "reason" },
      el("span", { class: "reason-arguments" }, named || "—"),
      el("span", { class: "reason-why" }, el("span", { class: "mark-false" }, "✗ "), why),
      guard && el("code", { class: "reason-guard", title: guard.place }, `requires ${guard.text}`),
    );
  }

  branches() {
    const { view, about } = this.store;
    const every = [...new Set([view.branch, ...view.also])];
    const edited = view.branch.includes(".");
    return el(
      "section",
      { class: "branches" },
      el("h3", {}, "Branches"),
      el("ul", {}, branchOrder(every).map(({ branch, depth, shared }) => this.branch(branch, depth, shared))),
      el(
        "div",
        { class: "actions" },
        button("Undo the last step", "u", () => undoStep(this.store), { disabled: !edited }),
        button("Save as ITF", "A trace file, for specmodel trace, replay, why", () => this.save("itf")),
        button("Save as pytest", "A test that does these steps", () => this.save("test")),
      ),
    );
  }

  async save(form) {
    try {
      const { name, content } = await this.store.source.save(this.store.view.branch, form);
      const address = URL.createObjectURL(content);
      el("a", { href: address, download: name }).click();
      URL.revokeObjectURL(address);
    } catch (wrong) {
      this.store.failed(wrong);
    }
  }

  branch(branch, depth, shared) {
    const { view, about } = this.store;
    const current = branch === view.branch;
    const name = branch === about.start ? (about.trace ?? "initial state") : `from state ${shared}`;
    const own = branchLength(branch) - shared;
    const tail = branch === about.start ? plural(branchLength(branch), "state") : `+${plural(own, "step")}`;
    return el(
      "li",
      { class: current ? "current" : "", "--depth": depth },
      el(
        "button",
        {
          type: "button",
          class: "link",
          "aria-current": current ? "true" : null,
          "data-key": `branch-${branch}`,
          onclick: () => this.store.go({ branch, step: branchLength(branch) }),
        },
        name,
      ),
      el("span", { class: "quiet" }, ` ${tail}`),
      branch !== about.start &&
        !current &&
        button("forget", "Take this branch off the list", () =>
          this.store.go({ also: view.also.filter((other) => other !== branch) }),
          { class: "link quiet" },
        ),
    );
  }
}

export function undoStep(store) {
  const { branch } = store.view;
  if (!branch.includes(".")) return;
  const shorter = branchPrefix(branch, branchLength(branch) - 1);
  const kept = store.view.also.filter((other) => other !== branch);
  const start = store.about.start;
  const back = branchShared(shorter, start) === branchLength(shorter) ? start : shorter;
  store.go({ branch: back, step: branchLength(shorter) });
  store.go({ also: kept.filter((other) => other !== back) });
}

// Branches below those they fork from: each below the one it shares most with.
function branchOrder(branches) {
  const sorted = [...branches].sort((a, b) => a.split(".").length - b.split(".").length);
  const placed = [];
  for (const branch of sorted) {
    let parent = -1;
    let shared = 0;
    placed.forEach((other, i) => {
      const common = branchShared(branch, other.branch);
      if (common > shared || parent < 0) [parent, shared] = [i, common];
    });
    const depth = parent < 0 ? 0 : placed[parent].depth + 1;
    let at = parent + 1;
    while (at < placed.length && placed[at].depth >= depth && parent >= 0) at += 1;
    placed.splice(parent < 0 ? placed.length : at, 0, { branch, depth, shared });
  }
  return placed;
}
