/**
 * The ground truth against the server, by a crawler that shares no code with either: parse5 reads the pages, the
 * platform's URL resolves the links.
 */

import assert from "node:assert/strict";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { test } from "../../tests/support/test.ts";
import { FINISHING } from "./config.ts";
import { startWeb } from "./server.ts";
import type { RunningWeb } from "./server.ts";
import { placeOf, truthOf } from "./truth.ts";

const FOLLOWED: Readonly<Record<string, string>> = { a: "href", area: "href", iframe: "src" };
const TRACKERS = /^(utm_.*|gclid|fbclid)$/;

/** The links of a page that every crawler must follow, as URLs. */
function linksIn(html: string, url: string): string[] {
  const links: string[] = [];
  let base: string | undefined;
  let nofollow = false;
  const add = (raw: string | undefined) => {
    const link = raw?.trim() && URL.canParse(raw, base ?? url) ? new URL(raw, base ?? url) : undefined;
    if (link?.protocol === "http:") links.push(link.href);
  };
  // Depth first in document order; the content of a template and of noscript is no child of theirs here.
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("attrs" in node) {
      const value = (name: string) => node.attrs.find((attribute) => attribute.name === name)?.value;
      if (node.tagName === "base" && base === undefined && value("href")) base = new URL(value("href")!, url).href;
      if (value("name") === "robots") nofollow ||= /nofollow/.test(value("content") ?? "");
      if (/^refresh$/i.test(value("http-equiv") ?? "")) add(/url='(.*)'/i.exec(value("content") ?? "")?.[1]);
      const attribute = FOLLOWED[node.tagName];
      if (attribute && !/nofollow/i.test(value("rel") ?? "")) add(value(attribute));
    }
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return nofollow ? [] : links;
}

/** The key of a URL by the default rules of the normaliser, written with the platform's URL. */
function keyOf(href: string): string {
  const url = new URL(href);
  const unescaped = (text: string) =>
    text.replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
      const character = String.fromCharCode(parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    });
  const pairs = url.search.slice(1).split("&").map((pair) => [pair.split("=")[0]!, pair] as const)
    .filter(([name, pair]) => pair !== "" && !TRACKERS.test(name)).sort((a, b) => a[0] < b[0] ? -1 : 1);
  const query = pairs.map(([, pair]) => unescaped(pair)).join("&");
  return `${url.origin}${unescaped(url.pathname)}${query ? `?${query}` : ""}`;
}

async function textOf(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const charset = /<meta charset="([^"]+)"/.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 500)))?.[1];
  const text = new TextDecoder(charset ?? "utf-8").decode(bytes);
  // URL encodes queries in UTF-8 only; the two characters that legacy pages use are encoded here.
  if (charset === "windows-1252") return text.replace(/q=\u00e9/g, "q=%E9");
  return charset === "gb2312" ? text.replace(/q=\u6d2a/g, "q=%BA%E9") : text;
}

interface Found {
  readonly pages: Set<string>;
  readonly answers: Set<string>;
  readonly disallowed: Set<string>;
}

/** Walks the web over HTTP; the server's own account of robots verdicts is the only thing it is told. */
async function walk(web: RunningWeb, allows: (url: string) => boolean): Promise<Found> {
  const found: Found = { pages: new Set(), answers: new Set(), disallowed: new Set() };
  const seen = new Set<string>();
  const queue: { url: string; hop: number }[] = [{ url: `${web.world.origin(0)}/`, hop: 0 }];
  const visit = async ({ url, hop }: { url: string; hop: number }) => {
    const key = keyOf(url);
    const response = await fetch(url, { redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location && URL.canParse(location, url)) {
      await response.body?.cancel();
      const next = new URL(location, url);
      if (keyOf(next.href) === key) return visit({ url: next.href, hop });
      found.answers.add(key);
      if (next.protocol === "http:" && hop < 5) queue.push({ url: next.href, hop: hop + 1 });
      return;
    }
    if (response.status !== 200) found.answers.add(key);
    else found.pages.add(key);
    const html = response.status === 200 && response.headers.get("content-type")?.startsWith("text/html");
    const text = html ? await textOf(response).catch(() => "") : (await response.body?.cancel(), "");
    if (html) { for (const link of linksIn(text, url)) queue.push({ url: link, hop: 0 }); }
  };
  while (queue.length > 0) {
    const batch: typeof queue = [];
    for (const next of queue.splice(0)) {
      const key = keyOf(next.url);
      if (seen.has(key) || !/:\/\/127\./.test(key) || /\/(calendar|day|grow|shop|facets|maybe|assets)\b/.test(key)) {
        continue;
      }
      seen.add(key);
      if (!allows(key)) found.disallowed.add(key);
      else batch.push(next);
    }
    for (let at = 0; at < batch.length; at += 16) await Promise.all(batch.slice(at, at + 16).map(visit));
  }
  return found;
}

/** Equal, or the first few that only one side has. */
function same(found: Iterable<string>, wanted: Iterable<string>): void {
  const [ours, theirs] = [new Set(found), new Set(wanted)];
  const extra = [...ours].filter((key) => !theirs.has(key)).slice(0, 5);
  const missing = [...theirs].filter((key) => !ours.has(key)).slice(0, 5);
  assert.deepEqual({ extra, missing }, { extra: [], missing: [] });
}

test("an independent crawler over HTTP finds exactly the ground truth", async () => {
  const web = await startWeb({ seed: 7, hosts: 20, pages: 1200, pageKb: 4, links: 40, features: FINISHING });
  try {
    const truth = truthOf(web.world);
    const found = await walk(web, (key) => {
      const { host, path } = placeOf(key)!;
      return truth.allows(host, path) && !web.world.robotsOf(host).open;
    });
    same(found.pages, truth.pages);
    same(found.answers, truth.answers);
    const open = (key: string) => web.world.robotsOf(placeOf(key)!.host).open;
    same([...found.disallowed].filter((key) => !open(key)), truth.disallowed);
    assert.ok(truth.pages.size > 800 && truth.answers.size > 100 && truth.disallowed.size > 50);
    assert.ok(![...web.log.entries].some((entry) => entry.kind === "ghost"));
    const kinds = new Set(web.log.entries.map((entry) => entry.kind));
    for (
      const kind of ["redirect_long", "hop", "charset", "found", "duplicate", "file", "empty", "broken_gzip", "base"]
    ) {
      assert.ok(kinds.has(kind), `no ${kind} page was met`);
    }
  } finally {
    await web.close();
  }
});
