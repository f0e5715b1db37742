// What is looked at, as the part of the address after #: a link to it shows the same again.
//
//     #/t12/9?panel=why&with=kip320&follow=weak_isr&watch=...&also=t9.12

const REPEATED = ["watch", "also"];
const SINGLE = ["panel", "with", "follow", "find"];

export function readAddress(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const [branch, step] = path.split("/");
  const found = {};
  if (/^[ti]\d+(\.\d+)*$/.test(branch ?? "")) found.branch = branch;
  if (/^\d{1,9}$/.test(step ?? "")) found.step = Number(step);
  const given = new URLSearchParams(query ?? "");
  for (const name of SINGLE) if (given.get(name)) found[name] = given.get(name);
  for (const name of REPEATED) found[name] = [...new Set(given.getAll(name))];
  found.also = found.also.filter((other) => /^[ti]\d+(\.\d+)*$/.test(other));
  return found;
}

export function writeAddress(view) {
  const query = new URLSearchParams();
  for (const name of SINGLE) if (view[name]) query.set(name, view[name]);
  for (const name of REPEATED) for (const value of view[name] ?? []) query.append(name, value);
  const text = query.toString();
  return `#/${view.branch}/${view.step}${text ? `?${text}` : ""}`;
}

// Branches are written t9.12.3: a start, then the numbers of the bindings taken.

export function branchLength(branch) {
  const [start, ...choices] = branch.split(".");
  return (start[0] === "t" ? Number(start.slice(1)) : 1) + choices.length;
}

export function branchPrefix(branch, length) {
  const [start, ...choices] = branch.split(".");
  const begun = start[0] === "t" ? Number(start.slice(1)) : 1;
  if (length < begun) return `t${length}`;
  return [start, ...choices.slice(0, length - begun)].join(".");
}

// How many states two branches have in common.
export function branchShared(one, other) {
  const [[start, ...choices], [begun, ...others]] = [one.split("."), other.split(".")];
  if (start !== begun) return start[0] === "t" && begun[0] === "t" ? Math.min(...[start, begun].map(branchLength)) : 0;
  const differs = choices.findIndex((choice, i) => choice !== others[i]);
  return branchLength(start) + (differs < 0 ? choices.length : differs);
}

// The branches that no other of them goes on with: a branch is one path, however many steps it has.
export function wholePaths(branches) {
  return [...new Set(branches)].filter((branch) => !branches.some((other) => other.startsWith(`${branch}.`)));
}
