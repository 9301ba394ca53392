/**
 * What runs inside a thread that scans pages; see scan_threads.ts. Pages are answered under their numbers, in the order in which they came.
 */

import { loadCore } from "../core-wasm/mod.ts";
import { packPage, type PageToScan } from "../edge/steps/packed_page.ts";

interface Scope {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

const scope = globalThis as unknown as Scope;
// Listened to from the first moment: what comes while the core is loaded waits for it.
const loading = loadCore();
let turn: Promise<void> = Promise.resolve();
scope.addEventListener("message", ({ data }) => {
  const { id, page } = data as { readonly id: number; readonly page: PageToScan };
  turn = turn.then(async () => scope.postMessage({ id, packed: packPage(await loading, page) }));
});
