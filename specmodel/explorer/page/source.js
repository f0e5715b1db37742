// The server from which the page gets what it shows.

export class ServerSource {
  // What all questions are about; empty: what the server has opened.
  of = "";

  // What the page is about: what has the name, if the server can open it; else what it has opened.
  async open(of) {
    if (of) {
      const found = await this.ask("about", { of }).catch(() => null);
      this.of = found?.of ?? "";
      if (found) return found;
    }
    return this.ask("about", {});
  }

  async ask(name, query) {
    return said(await fetched(this.address(name, query)));
  }

  address(name, query) {
    return `/api/${name}?${new URLSearchParams(this.of ? { of: this.of, ...query } : query)}`;
  }

  async send(name, body) {
    const headers = { "Content-Type": "application/json" };
    return said(await fetched(`/api/${name}`, { method: "POST", headers, body: JSON.stringify({ of: this.of, ...body }) }));
  }

  // A behaviour as a file: its name and content.
  async save(branch, form) {
    const response = await fetched(this.address("save", { branch, as: form }));
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
