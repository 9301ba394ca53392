/**
 * Pages as HTML.
 * Invariant: a function of (world, host, page); the text is drawn from shared paragraphs, the links from `linksOf`.
 */

import { Buffer } from "node:buffer";
import { chanceOf, TOPIC } from "./chance.ts";
import { charsetOf, linksOf, ODD_STYLE, RAW_STYLE } from "./links.ts";
import type { Link } from "./links.ts";
import type { Resource } from "./resources.ts";
import { trapNext } from "./resources.ts";
import { BLOCK } from "./site.ts";
import { spellOddly } from "./spelling.ts";
import { WORDS } from "./words.ts";
import type { World } from "./world.ts";

const BASE_FOLDER = "/assets/deep/";

/** Stands for the character that a charset page writes in its own bytes. */
const RAW_CHARACTER = "\ue000";

const escapeAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The text of a link's href, before HTML escaping. */
export function hrefOf(world: World, link: Link, basePath: string): string {
  const origin = world.origin(link.host);
  if (link.style >= ODD_STYLE) return spellOddly({ origin, path: link.path }, link.style - ODD_STYLE);
  if (link.style === RAW_STYLE) return `${link.path.split("%", 1)[0]}${RAW_CHARACTER}`;
  if (link.style === 3) return origin.slice(5) + link.path;
  if (link.style === 2) return origin + link.path;
  if (link.style === 1) {
    const folders = (basePath.split("?", 1)[0] ?? "").split("/").length - 2;
    return "../".repeat(folders) + link.path.slice(1) || "./";
  }
  return link.path;
}

function element(world: World, link: Link, basePath: string, text: string): string {
  const href = escapeAttribute(hrefOf(world, link, basePath));
  switch (link.place) {
    case "a":
      return `<a href="${href}">${text}</a>`;
    case "area":
      return `<map name="m"><AREA shape=rect coords="0,0,9,9" HREF='${href}'></map>`;
    case "iframe":
      return `<iframe src="${href}" title="${text}"></iframe>`;
    case "refresh":
      return `<meta content="5; URL='${href}'" http-equiv="Refresh">`;
    case "nofollow":
      return `<a rel="external NoFollow" href="${href}">${text}</a>`;
    case "noscript":
      return `<noscript><a href="${href}">${text}</a></noscript>`;
    case "template":
      return `<template><a href="${href}">${text}</a></template>`;
    case "image":
      return `<img src="${href}" alt="${text}">`;
    case "stylesheet":
      return `<link rel="stylesheet" href="${href}">`;
    case "comment":
      return `<!-- <a href="${href}">${text}</a> -->`;
    case "script":
      return `<script>document.write('<a href="${href}">${text}</a>');</script>`;
    case "script_string":
      // WHATWG 13.2.5.26: "<!-- <script>" doubly escapes, so the first end tag doesn't end the script.
      return `<script type="application/json">"<!-- <script> </script> <a href='${href}'>${text}</a> -->"</script>`;
    case "textarea":
      return `<textarea name="code"><a href="${href}">${text}</a></textarea>`;
    case "style":
      return `<style>/* <a href="${href}"> */ p { color: #333; }</style>`;
    case "attribute":
      return `<p title='<a href="${href}">'>${text}</p>`;
  }
}

/** Bytes that this page aims at: from nothing to twice the mean, in a bell. */
function sizeOf(world: World, host: number, local: number): number {
  const chance = chanceOf(world.config.seed, TOPIC.size, host, local);
  const spread = (chance.below(100) + chance.below(100) + chance.below(100)) / 150;
  return Math.round(world.config.pageKb * 1024 * spread);
}

/** The bytes of a page that has links, in its charset. */
export function pageBytes(world: World, page: Resource): Uint8Array {
  const html = pageHtml(world, page);
  if (page.kind !== "charset") return Buffer.from(html, "utf8");
  const { bytes } = charsetOf(world, page.host, page.local ?? 0);
  return Buffer.from(html.replaceAll("\u00e9", "&eacute;").replaceAll(RAW_CHARACTER, bytes), "latin1");
}

function pageHtml(world: World, page: Resource): string {
  const { host, kind } = page;
  const own = page.local ?? 0;
  const shown = kind === "duplicate" || kind === "near_duplicate" ? own - (own % BLOCK) : own;
  const basePath = kind === "base" ? BASE_FOLDER : page.path;
  const links = linksOf(world, host, shown, kind === "charset" || kind === "nofollow" ? kind : "head");
  const chance = chanceOf(world.config.seed, TOPIC.prose, host, shown);
  const title = `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${shown}`;
  const nav = links.filter((_, i) => i < 8).map((link) => `<li>${element(world, link, basePath, title)}</li>`).join(
    "\n",
  );
  const start = head(world, page, title) + extraHead(world, page, basePath) +
    `</head>\n<body>\n<header><nav><ul>\n${nav}\n</ul></nav></header>\n<main><h1>${title}</h1>\n`;
  const rest = links.slice(8).map((link) => element(world, link, basePath, chance.pick(WORDS)));
  const size = kind === "big" ? 3_000_000 : sizeOf(world, host, shown);
  const used = start.length + rest.reduce((sum, text) => sum + text.length, 0);
  const body = article(world, { host, local: shown, room: size - used, near: kind === "near_duplicate" }, rest);
  return `${start}${body}</main>\n<footer><p><a href="#top">Top</a> <a href="mailto:editor@web.test">Mail</a> ` +
    `<a href="javascript:void(0)">Close</a> <a href="">Here</a></p></footer>\n</body>\n</html>\n`;
}

function head(world: World, page: Resource, title: string): string {
  const charset = page.kind === "charset" ? charsetOf(world, page.host, page.local ?? 0).name : "utf-8";
  const robots = page.kind === "nofollow" ? "nofollow" : page.kind === "noindex" ? "noindex" : "";
  return `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="${charset}">\n` +
    `<title>${title}</title>\n<meta name="description" content="A page about ${title}">\n` +
    (robots ? `<meta name="robots" content="${robots}">\n` : "");
}

function extraHead(world: World, page: Resource, basePath: string): string {
  if (page.kind === "base") return `<base href="${BASE_FOLDER}">\n`;
  if (page.kind !== "refresh") return "";
  return element(world, { host: page.host, path: "/", place: "refresh", style: 1 }, basePath, "");
}

interface Article {
  readonly host: number;
  readonly local: number;
  /** Bytes of text that are wanted beside the links. */
  readonly room: number;
  /** Change a few words. */
  readonly near: boolean;
}

function article(world: World, about: Article, links: readonly string[]): string {
  const chance = chanceOf(world.config.seed, TOPIC.near, about.host, about.local);
  const paragraphs: string[] = [];
  for (let length = 0; length < about.room;) {
    const text = chance.pick(world.paragraphs);
    paragraphs.push(text);
    length += text.length + 8;
  }
  if (about.near && paragraphs.length > 0) paragraphs[0] = paragraphs[0]!.replace(" ", " another ");
  const perLink = Math.max(1, Math.floor(paragraphs.length / Math.max(1, links.length)));
  const out: string[] = [];
  let at = 0;
  for (const link of links) {
    const text = paragraphs.slice(at, at + perLink).join("</p>\n<p>");
    at += perLink;
    out.push(`<p>${text} ${link}</p>\n`);
  }
  for (const text of paragraphs.slice(at)) out.push(`<p>${text}</p>\n`);
  return out.join("");
}

/** A shop shows the same to every session; only its links differ. */
const SHOP_TEXT = "Welcome to our shop. We have shoes, hats and coats for every weather. Delivery takes three days.";

/** A page with at most one link: traps, extras, ghosts. */
export function smallHtml(resource: Resource): string {
  const next = trapNext(resource.path);
  const href = resource.kind === "grow" ? "grow/" : next.path;
  const link = Number.isFinite(next.step) ? `<a href="${escapeAttribute(href)}">Next</a>` : "";
  if (resource.kind === "session") {
    return `<!DOCTYPE html><html><head><title>Shop</title></head><body><p>${SHOP_TEXT}</p>${link}</body></html>\n`;
  }
  return `<!DOCTYPE html><html><head><title>${resource.kind}</title></head>` +
    `<body><p>Step ${next.step} of ${resource.kind}.</p>${link}</body></html>\n`;
}
