// Where the page gets what it shows: from the server, or from the file that it is part of.

export class ServerSource {
  async ask(name, query) {
    return said(await fetched(`/api/${name}?${new URLSearchParams(query)}`));
  }

  async send(name, body) {
    const headers = { "Content-Type": "application/json" };
    return said(await fetched(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(body) }));
  }

  // A behaviour as a file: its name and content.
  async save(branch, form) {
    const response = await fetched(`/api/save?${new URLSearchParams({ branch, as: form })}`);
    if (!response.ok) return said(response);
    const told = response.headers.get("Content-Disposition") ?? "";
    return { name: /filename="([^"]+)"/.exec(told)?.[1] ?? "behaviour", content: await response.blob() };
  }
}

// Raises an error that may pass, and is not kept as the answer, if the server does not answer.
async function fetched(address, more) {
  try {
    return await fetch(address, more);
  } catch {
    throw passing("The server does not answer. Does specmodel explore still run? The page goes on when it is back.");
  }
}

function passing(message) {
  return Object.assign(new Error(message), { passes: true });
}

async function said(response) {
  const body = await response.json().catch(() => {
    throw new Error(`the server answered ${response.status} without a reason`);
  });
  if (response.status === 403) throw passing(body.error);
  if (!response.ok) throw new Error(body.error);
  return body;
}

// The document that `--export` writes into the page: everything about one behaviour.
export class FileSource {
  constructor(held) {
    this.held = held;
  }

  async ask(name, { branch, from, count, state, text }) {
    const { about, spine, frames, why, watches, chart } = this.held;
    if (name === "about") return about;
    if (branch !== spine.branch) throw new Error("this file has another behaviour");
    const part = (list) => list.slice(from - 1, from - 1 + count);
    if (name === "spine") return { ...spine, first: from, steps: part(spine.steps) };
    if (name === "frames") return part(frames);
    if (name === "chart") return chart;
    if (name === "why") return why[state] ?? { failure: "", properties: [], written: {} };
    if (!Object.hasOwn(watches, text)) throw new Error("this file does not have its values");
    return part(watches[text]);
  }
}
