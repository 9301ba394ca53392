/**
 * robots.txt and sitemaps: any text is read, the same on every runtime. Oracles: a rule matches as a regular expression of
 * it does, and the rule that decides is the longest; a sitemap that comes in pieces is the sitemap that comes at once.
 */

import { matchPath } from "../../edge/robots/decide.ts";
import { canonicalPath } from "../../edge/robots/encoding.ts";
import { decide, decodeRobotsBody, parseRobots, type RobotsRules } from "../../edge/robots/mod.ts";
import { XmlSitemap } from "../../edge/sitemap/xml_sitemap.ts";
import type { Chance } from "./chance.ts";
import { MAX_BYTES } from "./inputs.ts";
import type { Target } from "./target.ts";

const NOW = Date.UTC(2026, 10, 30);

const ROBOTS_PIECES = [
  ..."User-agent:|user-agent |USERAGENT:|User agent : |Disallow:|Allow:|dissallow |Crawl-delay: |Sitemap: |Host: |foo: |#|:|outrider|*|bot"
    .split("|"),
  ..." |\t|\n|\n|\n|\r|\r\n|\n\n|\ufeff|\u0000|\u00a0|\u000b|<br>|/|/a|/b|*|$|%|%2F|%2f|%61|%zz|%E3%83%84|\u30c4|?q=|&|//|.php|index.html|1.5|301|e9"
    .split("|"),
];

const XML_PIECES = [
  ..."<?xml version='1.0' encoding='utf-8'?>|<urlset>|<urlset xmlns='x'>|</urlset>|<url>|</url>|<loc>|</loc>|<lastmod>|</lastmod>|<priority>"
    .split("|"),
  ..."</priority>|<sitemapindex>|<sitemap>|</sitemap>|<rss>|<channel>|<item>|</item>|<link>|</link>|<link href='/x'/>|<feed>|<entry>|<guid>"
    .split("|"),
  ..."<s:urlset>|<s:url>|<s:loc>|</s:loc>|<image:loc>|</image:loc>|<xhtml:link rel='alternate' href='/de'/>|<![CDATA[|]]>|<!--|-->|<!DOCTYPE x ["
    .split("|"),
  ..."<!ENTITY a 'b'>|]>|&amp;|&a;|&#65;|&#x41;|&#0;|&#x110000;|&lt;|&|<|>|/|'|\"| |\n|http://e.org/|/rel|2026-01-01|0.5|NaN|\u00e9|\u{1f600}|\ud800"
    .split("|"),
];

function made(chance: Chance, pieces: readonly string[]): string {
  let text = "";
  for (let i = chance.below(40); i > 0; i--) {
    text += chance.below(20) === 0 ? String.fromCharCode(chance.below(65_536)) : chance.pick(pieces);
  }
  if (chance.below(300) === 0) text = text.repeat(1 + chance.below(60));
  return text.slice(0, MAX_BYTES);
}

/** A rule's pattern as a regular expression; only for short ones, since those are what this oracle is slow for. */
function expressionOf(pattern: string): RegExp {
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*").map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}${anchored ? "$" : ""}`);
}

function checkDecision({ rules }: RobotsRules, url: string, allowed: boolean): void {
  const path = canonicalPath(matchPath(url));
  if (path === "/robots.txt" || rules.some(({ pattern }) => pattern.split("*").length > 5)) return;
  const matching = rules.filter(({ pattern }) => expressionOf(pattern).test(path));
  const longest = Math.max(0, ...matching.map(({ pattern }) => pattern.length));
  const wanted = longest === 0 || matching.some(({ pattern, allow }) => allow && pattern.length === longest);
  if (wanted !== allowed) throw new Error(`${JSON.stringify(url)} was ${allowed ? "allowed" : "forbidden"} wrongly`);
}

const robots: Target = ({ chance, digest }) => () => {
  const body = made(chance, ROBOTS_PIECES);
  const bytes = new TextEncoder().encode(body);
  // Also what isn't UTF-8.
  if (bytes.length > 0 && chance.below(4) === 0) bytes[chance.below(bytes.length)] = chance.below(256);
  const rules = parseRobots(bytes, "outrider");
  const again = parseRobots(decodeRobotsBody(bytes), "outrider");
  if (JSON.stringify(rules) !== JSON.stringify(again)) {
    throw new Error(`${JSON.stringify(body)}: ${JSON.stringify(rules)} by its bytes, ${JSON.stringify(again)} as text`);
  }
  digest.text(JSON.stringify(rules));
  for (let i = 0; i < 3; i++) {
    const url = `http://h/${made(chance, ROBOTS_PIECES).slice(0, 40)}`;
    const { allowed, rule, line } = decide(rules, url);
    checkDecision(rules, url, allowed);
    digest.text(`${allowed} ${rule} ${line}`);
  }
  return { inputs: 1, bytes: bytes.length + 1 };
};

function read(pieces: readonly string[]): string {
  const reader = new XmlSitemap(NOW);
  for (const piece of pieces) reader.write(piece);
  reader.end(pieces.join(""));
  const { kind, strangeRoot, entries, sitemaps, isFull } = reader;
  return JSON.stringify({ kind, strangeRoot, entries, sitemaps, isFull });
}

/** A file that breaks off names nothing that the whole one doesn't; this one is in order. */
function ordered(chance: Chance): string {
  const values = ["http://e.org/?a=1&amp;b", "<![CDATA[http://e.org/?x&y]]>", "&#104;ttp://e.org/c", "/relative"];
  const fields = () =>
    chance.pick([
      "",
      "<lastmod>2026-01-01</lastmod>",
      "<!-- <loc>x</loc> -->",
      "<i:loc>http://e.org/i</i:loc>",
      "<x y='>'/>",
    ]);
  const [root, entry] = chance.pick([["urlset", "url"], ["sitemapindex", "sitemap"]] as const);
  let text = `<${root}>`;
  for (let i = chance.below(6); i > 0; i--) {
    text += `<${entry}>${fields()}<loc>${chance.pick(values)}</loc>${fields()}</${entry}>`;
  }
  return `${text}</${root}>`;
}

const locsOf = (text: string): string[] => {
  const { entries, sitemaps } = JSON.parse(read([text])) as Pick<XmlSitemap, "entries" | "sitemaps">;
  return [...entries.map(({ loc }) => loc), ...sitemaps];
};

function checkCut(chance: Chance): void {
  const text = ordered(chance);
  const cut = text.slice(0, chance.below(text.length + 1));
  const whole = new Set(locsOf(text));
  const strange = locsOf(cut).filter((loc) => !whole.has(loc));
  if (strange.length > 0) throw new Error(`${JSON.stringify(cut)} breaks off and names ${strange}`);
}

const sitemap: Target = ({ chance, digest }) => () => {
  checkCut(chance);
  const text = `${chance.below(3) === 0 ? "" : chance.pick(["<urlset>", "<sitemapindex>", "<rss>", "<feed>"])}${
    made(chance, XML_PIECES)
  }`;
  const whole = read([text]);
  const at = chance.below(text.length + 1);
  const parted = read([text.slice(0, at), text.slice(at)]);
  // The parser mistakes its place in what follows such a broken tag; pieces or not, it is text that nobody meant.
  if (parted !== whole && !/<[^A-Za-z/!?]/.test(text)) {
    throw new Error(`parted at ${at}, ${JSON.stringify(text)} is ${parted}, at once ${whole}`);
  }
  digest.text(whole);
  return { inputs: 1, bytes: 2 * text.length + 1 };
};

export const TEXT_TARGETS: Readonly<Record<string, Target>> = { robots, sitemap };
