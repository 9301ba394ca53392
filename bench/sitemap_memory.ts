/**
 * Reads a sitemap of the most bytes that one may have and says how long that takes and how far memory grows:
 * `deno run -A bench/sitemap_memory.ts`, the same with `bun`. `long`: 50,000 addresses of 900 characters; `images`: nine
 * images beside each address.
 */

import process from "node:process";
import { loadCore } from "../core-wasm/mod.ts";
import { parseSitemap, resolveLocs } from "../edge/sitemap/parse.ts";
import { SITEMAP_LIMITS } from "../edge/sitemap/sitemap.ts";

const URL = "http://e.org/s.xml";
const rssMb = () => Math.round(process.memoryUsage().rss / 1e6);

function made(kind: string): Uint8Array {
  const bytes = new Uint8Array(SITEMAP_LIMITS.bytes);
  const encoder = new TextEncoder();
  let at = 0;
  const put = (text: string) => at += encoder.encodeInto(text, bytes.subarray(at)).written;
  put("<urlset>");
  const tail = kind === "long" ? "p".repeat(900) : "";
  const image = `<image:image><image:loc>http://e.org/${"x".repeat(60)}.png</image:loc></image:image>`;
  const images = kind === "images" ? image.repeat(9) : "";
  for (let i = 0; i < SITEMAP_LIMITS.entries; i++) {
    put(`<url><loc>http://e.org/${i}/${tail}</loc><lastmod>2026-01-01</lastmod>${images}</url>`);
  }
  return bytes.subarray(0, at);
}

const core = await loadCore();
for (const kind of ["images", "long"]) {
  const bytes = made(kind);
  const before = rssMb();
  let most = before;
  const startedAt = performance.now();
  const rest = () => {
    most = Math.max(most, rssMb());
    return new Promise<void>((resolve) => setTimeout(resolve, 0));
  };
  const sitemap = await parseSitemap(bytes, { now: Date.UTC(2026, 10, 30), rest });
  if ("error" in sitemap) throw new Error(sitemap.error);
  const seconds = (performance.now() - startedAt) / 1000;
  const urls = resolveLocs(sitemap.entries.map(({ loc }) => loc), URL, core).filter((url) => url !== undefined).length;
  process.stdout.write(
    `${kind}: ${(bytes.length / 1e6).toFixed(1)} MB, ${urls} URLs, ${seconds.toFixed(1)} s, ` +
      `RSS ${before} MB before, at most ${most - before} MB more while it was read, ${
        rssMb() - before
      } MB more after\n`,
  );
}
