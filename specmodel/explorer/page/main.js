// Starts the page: with the data it holds, or with the server it comes from.

import { FileSource } from "./file.js";
import { ServerSource } from "./source.js";
import { Store } from "./store.js";
import { SpecExplorer } from "./explorer.js";

function sourceOfPage() {
  const held = document.getElementById("specmodel-data");
  return held ? new FileSource(JSON.parse(held.textContent)) : new ServerSource();
}

customElements.define("spec-explorer", SpecExplorer);
document.querySelector("spec-explorer").open(new Store(sourceOfPage()));
