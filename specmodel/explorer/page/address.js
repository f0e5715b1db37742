// What is looked at, as the part of the address after #: a link to it shows the same again.
//
//     #/t12/9?panel=why&with=kip320&follow=weak_isr&watch=...&also=t9.12&of=kip101 replicas=2

const SINGLE = ["panel", "with", "follow", "find", "of", "only"];
const MOST = { watch: 50, also: 500, hide: 200 };

// A request with a branch of this many characters is within what a server reads of an address.
const LONGEST = 60_000;

const BRANCH = /^(t[1-9]\d{0,8}|i\d{1,9})(\.\d{1,9})*$/;

// What a link says, and as `wrong` what cannot be understood of it, in words.
export function readAddress(hash) {
  const found = { watch: [], also: [], hide: [], wrong: [] };
  const { wrong } = found;
  if (hash.length > LONGEST) {
    wrong.push(`it has ${hash.length.toLocaleString("en")} characters, more than ${LONGEST.toLocaleString("en")}`);
    return found;
  }
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash);
  const [, branch, step] = /^([^/]*)\/?(.*)$/s.exec(path);
  if (BRANCH.test(branch)) found.branch = branch;
  else if (branch) wrong.push(notBranch(branch));
  if (/^\d{1,9}$/.test(step)) found.step = Number(step);
  else if (step) wrong.push(`${quoted(step)} is no number of a state`);
  const given = new URLSearchParams(query);
  for (const name of SINGLE) if (given.get(name)) found[name] = given.get(name);
  for (const [name, most] of Object.entries(MOST)) {
    const values = [...new Set(given.getAll(name))];
    if (values.length > most) wrong.push(`"${name}" is there ${values.length.toLocaleString("en")} times, more than ${most}`);
    found[name] = values.slice(0, most);
  }
  wrong.push(...found.also.filter((other) => !BRANCH.test(other)).slice(0, 1).map(notBranch));
  found.also = found.also.filter((other) => BRANCH.test(other));
  const unknown = [...given.keys()].find((name) => !SINGLE.includes(name) && !Object.hasOwn(MOST, name));
  if (unknown !== undefined) wrong.push(`${quoted(unknown)} is no part of a link`);
  return found;
}

function notBranch(text) {
  return `${quoted(text)} is no behaviour: one is written t9.12.3 or i0.5`;
}

// A text of a link as a message has it.
export function quoted(text) {
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

export function writeAddress(view) {
  const query = new URLSearchParams();
  for (const name of SINGLE) if (view[name]) query.set(name, view[name]);
  for (const name of Object.keys(MOST)) for (const value of view[name] ?? []) query.append(name, value);
  return `#/${view.branch}/${view.step}?${query}`;
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
