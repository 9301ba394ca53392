/** A program for scan threads that fails on some pages: one whose text begins with "throw" ends the thread, "silent" is never answered. */

import { loadCore } from "../../core-wasm/mod.ts";
import { packPage, type PageToScan } from "../../edge/steps/packed_page.ts";

interface Scope {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

const scope = globalThis as unknown as Scope;
const loading = loadCore();
let isSilent = false;
scope.addEventListener("message", async ({ data }) => {
  const { id, page } = data as { readonly id: number; readonly page: PageToScan };
  const word = new TextDecoder().decode(page.html.subarray(0, 6));
  if (word.startsWith("throw")) {
    setTimeout(() => {
      throw new Error("a page that ends its thread");
    });
    return;
  }
  // It is stuck: what comes later isn't answered either.
  isSilent ||= word === "silent";
  const core = await loading;
  if (!isSilent) scope.postMessage({ id, packed: packPage(core, page) });
});
