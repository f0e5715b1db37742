// Where the page gets what it shows: from the server, or from the file that it is part of.

export class ServerSource {
  constructor() {
    this.live = true;
  }

  async about() {
    return this.ask("about", {});
  }

  spine(branch, from, count) {
    return this.ask("spine", { branch, from, count });
  }

  frames(branch, from, count) {
    return this.ask("frames", { branch, from, count });
  }

  why(branch, state, property) {
    return this.ask("why", { branch, state, ...(property && { property }) });
  }

  watch(branch, text, from, count) {
    return this.ask("watch", { branch, text, from, count });
  }

  // A behaviour as a file: its name and content.
  async save(branch, form) {
    const response = await fetch(`/api/save?${new URLSearchParams({ branch, as: form })}`);
    if (!response.ok) return answered(response);
    const told = response.headers.get("Content-Disposition") ?? "";
    return { name: /filename="([^"]+)"/.exec(told)?.[1] ?? "behaviour", content: await response.blob() };
  }

  async ask(name, query) {
    return answered(await fetch(`/api/${name}?${new URLSearchParams(query)}`));
  }

  async send(name, body) {
    return answered(
      await fetch(`/api/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  }
}

async function answered(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    throw new Error(`the server answered ${response.status} without a reason`);
  }
  if (!response.ok) throw new Error(body.error);
  return body;
}

// The document that `--export` writes into the page: everything about one behaviour.
export class FileSource {
  constructor(held) {
    this.held = held;
    this.live = false;
  }

  async about() {
    return this.held.about;
  }

  async spine(branch, from, count) {
    this.check(branch);
    const spine = this.held.spine;
    return { ...spine, first: from, steps: spine.steps.slice(from - 1, from - 1 + count) };
  }

  async frames(branch, from, count) {
    this.check(branch);
    return this.held.frames.slice(from - 1, from - 1 + count);
  }

  async why(branch, state) {
    this.check(branch);
    return this.held.why[state] ?? { failure: "", properties: [], written: {} };
  }

  async watch(branch, text, from, count) {
    this.check(branch);
    const values = this.held.watches[text];
    if (values === undefined) throw new Error("this file does not have its values");
    return values.slice(from - 1, from - 1 + count);
  }

  check(branch) {
    if (branch !== this.held.spine.branch) throw new Error("this file has another behaviour");
  }
}
