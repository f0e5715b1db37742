// What can happen in the state shown, what cannot and why, and the branches made so far.

import { branchLength, branchPrefix, branchShared } from "./address.js";
import { changeBrief } from "./changes.js";
import { button, el, mark, plural, whenKnown } from "./dom.js";
import { Part } from "./part.js";

export class MovesPanel extends Part {
  build() {
    this.unfolded = new Set();
  }

  update() {
    const { store } = this;
    const { branch, step, also } = store.view;
    const { here } = store;
    const found = store.ask("moves", { branch: here, state: step });
    const refused = found?.groups?.filter((group) => group.bindings.some((b) => !b.changes)) ?? [];
    const told = new Map();
    for (const { action } of refused.filter((group) => this.unfolded.has(group.action))) {
      told.set(action, store.ask("reasons", { branch: here, state: step, action }));
    }
    this.redraw(found, [here, branch, store.step(step + 1), also, ...told.keys(), ...told.values()], () => [
      whenKnown(found, () => this.choices(found, refused, told)),
      this.branches(),
    ]);
  }

  choices({ groups, explored, ends }, refused, told) {
    if (ends) return el("p.quiet", ends);
    const { step } = this.store.view;
    const count = groups.flatMap((group) => group.bindings).filter((b) => b.changes).length;
    const can = groups.filter((group) => group.bindings.some((b) => b.changes));
    return [
      el("h3", `${count ? plural(count, "step") : "Nothing"} can happen in state ${step}`),
      !explored && el("p.quiet", "A state constraint is false here: a check goes no further."),
      can.map((group) => this.group(group)),
      refused.length > 0 && el("h3", "Cannot happen"),
      refused.map((group) => this.refused(group, told)),
    ];
  }

  group({ action, bindings }) {
    const { store } = this;
    const step = store.view.step + 1;
    const next = store.step(step)?.binding;
    const moves = bindings.filter((binding) => binding.changes).map((move) => {
      const brief = changeBrief(move.changes) || "changes nothing";
      const taken = move.binding === next;
      // A branch goes on by each step: one that is there already, or a new one.
      const go = () => store.go(taken ? { step } : { branch: `${store.here}.${move.binding}`, step });
      const named = el("span.move-arguments", argumentsText(move) || "do it", taken && el("span.tag", "taken"));
      // What the step would do, told before it is taken.
      const breaks = move.breaks.length > 0 && el("span.move-breaks", mark(false), `breaks ${move.breaks.join(", ")}`);
      const same = move.same && el("span.move-same", `↺ ${move.same}`);
      return button([named, el("span.move-effect", brief), breaks, same], brief, go, {
        class: ["move", taken && "taken"],
        "data-key": `move-${move.binding}`,
      });
    });
    return el("section.move-group", el("h4", action), moves);
  }

  refused({ action, bindings }, told) {
    const disabled = bindings.filter((binding) => !binding.changes);
    const open = this.unfolded.has(action);
    const summary = el(
      "summary",
      { "data-key": `refused-${action}` },
      el("span", action),
      el("span.count", plural(disabled.length, "binding")),
    );
    const unfolded = () => whenKnown(told.get(action), (rows) => {
      const known = new Map(rows.map((held) => [held.binding, held]));
      return disabled.map((binding) => this.reason(binding, known.get(binding.binding)));
    });
    const made = el("details.refused", { open }, summary, open && el("div.reasons", unfolded()));
    made.addEventListener("toggle", () => {
      if (made.open === this.unfolded.has(action)) return;
      if (made.open) this.unfolded.add(action);
      else this.unfolded.delete(action);
      this.update();
    });
    return made;
  }

  reason(binding, told) {
    const guard = told?.guards.find((g) => g.value !== true);
    const why = binding.failure ?? told?.failure ?? guard?.said ?? "";
    return el(
      "div.reason",
      el("span.reason-arguments", argumentsText(binding) || "—"),
      el("span.reason-why", mark(false), why),
      guard && el("code.reason-guard", { title: guard.place }, `requires ${guard.text}`),
    );
  }

  branches() {
    const { store } = this;
    const { branch, also } = store.view;
    const every = branchOrder([...new Set([store.about.start, branch, ...also])]);
    const save = (form) => () => this.save(form);
    return el(
      "section.branches",
      el("h3", "Branches"),
      el("ul", every.map((held) => this.branch(held))),
      el(
        "div.actions",
        button("Undo the last step", "u", () => undoStep(store), { disabled: !branch.includes(".") }),
        store.live && button("Save as ITF", "A trace file, for specmodel trace, replay, why", save("itf")),
        store.live && button("Save as pytest", "A test that does these steps", save("test")),
      ),
    );
  }

  async save(form) {
    const { store } = this;
    try {
      const { name, content } = await store.source.save(store.view.branch, form);
      const address = URL.createObjectURL(content);
      el("a", { href: address, download: name }).click();
      URL.revokeObjectURL(address);
    } catch (wrong) {
      store.failed(wrong);
    }
  }

  branch({ branch, depth, shared }) {
    const { view, about } = this.store;
    const current = branch === view.branch;
    const first = branch === about.start;
    const length = branchLength(branch);
    const name = first ? (about.trace ?? "initial state") : `from state ${shared}`;
    const tail = first ? plural(length, "state") : `+${plural(length - shared, "step")}`;
    const also = view.also.filter((other) => other !== branch);
    const told = { "aria-current": current && "true", "data-key": `branch-${branch}` };
    return el(
      "li",
      { class: current && "current", "--depth": depth },
      this.link(name, null, { branch, step: length }, told),
      el("span.quiet", ` ${tail}`),
      !first && !current && this.link("forget", "Take this branch off the list", { also }, { class: ["link", "quiet"] }),
    );
  }
}

function argumentsText(binding) {
  return binding.arguments.map(([name, value]) => `${name}=${value}`).join(", ");
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
