/**
 * Whole pages, as a crawl has them: links resolved, normalised and fingerprinted, with and without SimHash, by the core
 * (component door and raw door) and by what a user of JS would write. Invariant: pages rotate; all see the same ones.
 */

import type { Core } from "../core-wasm/core.ts";
import { loadArtefact } from "../core-wasm/load.ts";
import { CoreSlot } from "../core-wasm/instance.ts";
import type { BenchInputs, BenchPage } from "./core_inputs.ts";
import { scanByJs } from "./core_scan.ts";
import { hashByPlatform, keyByPlatform } from "./core_url.ts";
import { measure } from "./interleaved.ts";
import type { CoreRow } from "./report/core_row.ts";
import { linkFinders } from "./scan_contenders.ts";

function fingerprintsByJs(page: BenchPage, wantText: boolean): number {
  const { urls, simhash } = scanByJs(page.bytes, wantText, page.url);
  let sum = Number(simhash & 0xffffn);
  for (const url of urls) sum ^= hashByPlatform(keyByPlatform(url));
  return sum;
}

function fingerprintsByCore(core: Core, { url, bytes }: BenchPage, text: boolean): number {
  const facts = core.scan(bytes, { url, text, maxBytes: bytes.length, borrowLinks: true });
  const { fingerprints } = core.urls(facts.outlinks().map((link) => link.url));
  return fingerprints.length ^ Number(facts.simhash & 0xffffn);
}

/** Links alone by every library, then the whole of what a crawl needs. */
export async function benchPages(core: Core, { source, pages }: BenchInputs): Promise<CoreRow[]> {
  const { module, instantiate } = await loadArtefact();
  const slot = new CoreSlot(module, instantiate);
  /** All pages in one call: they differ so much in size that rounds over some of them couldn't be compared. */
  const all = (each: (page: BenchPage) => number) => () => pages.reduce((sum, page) => sum + each(page), 0);
  const byComponent = ({ url, bytes }: BenchPage) =>
    slot.run(({ typed }) => typed.pages.scan(bytes, url, "", 8)).links.length;
  const finders = Object.entries(await linkFinders())
    .map(([name, find]) => [name, all(find)] as const);
  return [
    ...measure({
      name: `${source} page: links`,
      opsPerCall: pages.length,
      candidates: {
        "JS htmlparser2 + URL": all(({ url, bytes }) => scanByJs(bytes, false, url).urls.length),
        ...Object.fromEntries(finders),
        "WASM, component door": all(byComponent),
        "WASM, raw door": all(({ url, bytes }) =>
          core.scan(bytes, { url, text: false, maxBytes: bytes.length, borrowLinks: true }).outlinks().length
        ),
      },
    }),
    ...measure({
      name: `${source} page: links, keys, fingerprints`,
      opsPerCall: pages.length,
      candidates: {
        "JS htmlparser2 + URL": all((page) => fingerprintsByJs(page, false)),
        "WASM, raw door": all((page) => fingerprintsByCore(core, page, false)),
      },
    }),
    ...measure({
      name: `${source} page: links, keys, fingerprints, SimHash`,
      opsPerCall: pages.length,
      candidates: {
        "JS htmlparser2 + URL + SimHash": all((page) => fingerprintsByJs(page, true)),
        "WASM, raw door": all((page) => fingerprintsByCore(core, page, true)),
      },
    }),
  ];
}
