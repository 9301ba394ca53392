/**
 * The libraries that a user would pick to get a page's links: each finds a, area, link, iframe, frame and base, and the
 * runtime's URL class resolves. Invariant: the same elements and attributes for all; what a library can't be had here
 * is left out, with a sentence on stderr.
 */

import process from "node:process";
import { HTMLRewriter } from "html-rewriter-wasm";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { BenchPage } from "./core_inputs.ts";

/** Number of distinct http(s) links. */
export type LinkFinder = (page: BenchPage) => number;

const ATTRIBUTE: Readonly<Record<string, string>> = {
  a: "href",
  area: "href",
  link: "href",
  iframe: "src",
  frame: "src",
};
const SELECTORS = Object.entries(ATTRIBUTE).map(([name, attribute]) => `${name}[${attribute}]`);

/** Resolves, without fragments; http(s) only. */
export function distinct(hrefs: readonly string[], base: string): Set<string> {
  const urls = new Set<string>();
  for (const href of hrefs) {
    const url = URL.parse(href, base);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) continue;
    url.hash = "";
    urls.add(url.href);
  }
  return urls;
}

const decoder = new TextDecoder();

function byParse5({ url, bytes }: BenchPage): number {
  const hrefs: string[] = [];
  let base: string | undefined;
  const walk = (node: DefaultTreeAdapterTypes.ParentNode) => {
    for (const child of node.childNodes) {
      if (!("tagName" in child)) continue;
      const wanted = child.tagName === "base" ? "href" : ATTRIBUTE[child.tagName];
      const value = wanted === undefined ? undefined : child.attrs.find(({ name }) => name === wanted)?.value;
      if (value !== undefined && child.tagName === "base") base ??= value;
      else if (value) hrefs.push(value);
      walk(child);
    }
  };
  walk(parse(decoder.decode(bytes)));
  return distinct(hrefs, base === undefined ? url : URL.parse(base, url)?.href ?? url).size;
}

interface RewriterElement {
  readonly tagName: string;
  getAttribute(name: string): string | null;
}

/** Handlers of either HTMLRewriter, which leave character references as they are: the least of what is needed. */
function listener(hrefs: string[]): { element(element: RewriterElement): void } {
  return {
    element(element) {
      const value = element.getAttribute(ATTRIBUTE[element.tagName.toLowerCase()]!);
      if (value) hrefs.push(value.includes("&amp;") ? value.replaceAll("&amp;", "&") : value);
    },
  };
}

/** Its promise is there for handlers that wait; without any all has happened when `write` comes back. */
function byRewriterWasm({ url, bytes }: BenchPage): number {
  const hrefs: string[] = [];
  const rewriter = new HTMLRewriter(() => {});
  for (const selector of SELECTORS) rewriter.on(selector, listener(hrefs));
  void rewriter.write(bytes);
  void rewriter.end();
  rewriter.free();
  return distinct(hrefs, url).size;
}

interface BunRewriter {
  on(selector: string, handlers: { element(element: RewriterElement): void }): BunRewriter;
  transform(html: ArrayBuffer): ArrayBuffer;
}

function bunsRewriter(): LinkFinder | undefined {
  const { HTMLRewriter: Bun } = globalThis as { HTMLRewriter?: new () => BunRewriter };
  if (Bun === undefined) return undefined;
  return ({ url, bytes }) => {
    const hrefs: string[] = [];
    const rewriter = new Bun();
    for (const selector of SELECTORS) rewriter.on(selector, listener(hrefs));
    rewriter.transform(bytes.slice().buffer);
    return distinct(hrefs, url).size;
  };
}

interface DenoDom {
  readonly DOMParser: new () => {
    parseFromString(html: string, type: string): {
      querySelectorAll(selector: string): Iterable<{ tagName: string; getAttribute(name: string): string | null }>;
    };
  };
}

/** deno_dom is published on JSR only: `DENO_DOM_MODULE` names another place of it. */
async function denoDom(): Promise<LinkFinder | undefined> {
  if ("Bun" in globalThis) return undefined;
  const place = process.env["DENO_DOM_MODULE"] ?? "jsr:@b-fuze/deno-dom";
  try {
    const { DOMParser } = await import(place) as DenoDom;
    return ({ url, bytes }) => {
      const document = new DOMParser().parseFromString(decoder.decode(bytes), "text/html");
      const hrefs: string[] = [];
      for (const element of document.querySelectorAll(SELECTORS.join(","))) {
        hrefs.push(element.getAttribute(ATTRIBUTE[element.tagName.toLowerCase()]!)!);
      }
      return distinct(hrefs, url).size;
    };
  } catch (error) {
    const found = error instanceof Error ? error.message.split("\n")[0] : String(error);
    process.stderr.write(`deno_dom is left out: ${place} can't be had here (${found}).\n`);
    return undefined;
  }
}

/** Every finder that can be had, by name; htmlparser2 is core_scan.ts's. */
export async function linkFinders(): Promise<Record<string, LinkFinder>> {
  const bun = bunsRewriter();
  const dom = await denoDom();
  return {
    "JS parse5 + URL": byParse5,
    "html-rewriter-wasm + URL": byRewriterWasm,
    ...(bun === undefined ? {} : { "Bun's HTMLRewriter + URL": bun }),
    ...(dom === undefined ? {} : { "deno_dom + URL": dom }),
  };
}
