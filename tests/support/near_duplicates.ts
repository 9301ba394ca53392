/**
 * Near-duplicates of a page, by named edits to its tree: what a crawler meets again and again.
 * Invariant: a function of the page and the seed. Both sides of a pair are written by the same serializer, so that they
 * differ by the edit only. An edit that a page has nothing for gives undefined.
 */

import { type DefaultTreeAdapterTypes, parse, parseFragment, serialize } from "parse5";

export const EDITS = ["date", "ad", "session", "nav", "paragraph"] as const;
export type Edit = typeof EDITS[number];

export interface NearPair {
  readonly before: string;
  readonly after: string;
}

/** Uniform in [0, 1); the same numbers for the same seed (mulberry32). */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface EditInputs {
  readonly html: string;
  readonly chance: () => number;
  /** Running text that isn't the page's: advertisements and edited paragraphs are taken from it. */
  readonly otherWords: readonly string[];
}

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;
type TextNode = DefaultTreeAdapterTypes.TextNode;

const AD_WORDS = 30;
const UNSEEN = new Set("script style title noscript iframe noembed noframes template head".split(" "));

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  if (!("childNodes" in node) || ("tagName" in node && UNSEEN.has(node.tagName))) return;
  for (const child of node.childNodes) yield* nodesOf(child);
}

function elements(root: Node, ...names: string[]): Element[] {
  return [...nodesOf(root)].filter((node): node is Element => "tagName" in node && names.includes(node.tagName));
}

function textNodes(root: Node): TextNode[] {
  return [...nodesOf(root)].filter((node): node is TextNode => node.nodeName === "#text");
}

function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

function someWords({ otherWords, chance }: EditInputs, count: number): string {
  const from = Math.floor(chance() * Math.max(1, otherWords.length - count));
  return otherWords.slice(from, from + count).join(" ").replaceAll("&", "").replaceAll("<", "");
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const MONTH = `(?:${MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join("|")})`;
const DATE = new RegExp(
  `\\b(?:${MONTH}\\.? \\d{1,2},? \\d{4}|\\d{1,2}\\.? ${MONTH}\\.?,? \\d{4}|\\d{4}-\\d\\d-\\d\\d|\\d{1,2}[./]\\d{1,2}[./]\\d{4})\\b`,
);

function someDate(chance: () => number): string {
  const month = MONTHS[Math.floor(chance() * 12)]!;
  return `${1 + Math.floor(chance() * 28)} ${month} ${2000 + Math.floor(chance() * 26)}`;
}

/** The elements below the body that hold others: an insertion before any of them is a block of its own. */
function places(root: Node): Element[] {
  return elements(root, "div", "p", "ul", "table", "section", "article", "h1", "h2", "h3")
    .filter((element) => element.parentNode !== null && "tagName" in element.parentNode);
}

function insertBefore(place: Element, html: string): void {
  const parent = place.parentNode as Element;
  const [fresh] = parseFragment(html).childNodes;
  if (fresh === undefined) return;
  fresh.parentNode = parent;
  parent.childNodes.splice(parent.childNodes.indexOf(place), 0, fresh);
}

/** The page with each of two blocks at the same place. */
function withBlocks(inputs: EditInputs, before: string, after: string): NearPair | undefined {
  const at = inputs.chance();
  const [one, other] = [before, after].map((block) => {
    const root = parse(inputs.html, { scriptingEnabled: false });
    const all = places(root);
    if (all.length === 0) return undefined;
    insertBefore(all[Math.floor(at * all.length)]!, block);
    return serialize(root);
  });
  return one === undefined || other === undefined ? undefined : { before: one, after: other };
}

/** The page as it is, and after `edit`; undefined when that changed nothing. */
function edited(html: string, edit: (root: Node) => boolean): NearPair | undefined {
  const before = parse(html, { scriptingEnabled: false });
  const after = parse(html, { scriptingEnabled: false });
  return edit(after) ? { before: serialize(before), after: serialize(after) } : undefined;
}

/** The first date on the page becomes another wherever it stands; a page without one gets one. */
function editDate(inputs: EditInputs): NearPair | undefined {
  const { html, chance } = inputs;
  const found = edited(html, (root) => {
    const texts = textNodes(root);
    const old = texts.map((node) => DATE.exec(node.value)?.[0]).find((date) => date !== undefined);
    if (old === undefined) return false;
    const fresh = someDate(chance);
    for (const node of texts) node.value = node.value.replaceAll(old, fresh);
    return true;
  });
  const line = () =>
    `<p class="date">Updated ${someDate(chance)}, ${10 + Math.floor(chance() * 14)}:${
      10 + Math.floor(chance() * 50)
    }</p>`;
  return found ?? withBlocks(inputs, line(), line());
}

function editAd(inputs: EditInputs): NearPair | undefined {
  const block = () => `<div class="ad">${someWords(inputs, AD_WORDS)}</div>`;
  return withBlocks(inputs, block(), block());
}

/** Every link gets a session identifier, of which only its value differs. */
function editSession({ html, chance }: EditInputs): NearPair | undefined {
  const sid = () =>
    Array.from({ length: 4 }, () => Math.floor(chance() * 2 ** 32).toString(16).padStart(8, "0")).join("");
  const withSid = (value: string) => {
    const root = parse(html, { scriptingEnabled: false });
    for (const link of elements(root, "a")) {
      const href = link.attrs.find((attribute) => attribute.name === "href");
      if (href !== undefined) href.value += `${href.value.includes("?") ? "&" : "?"}sid=${value}`;
    }
    return serialize(root);
  };
  return { before: withSid(sid()), after: withSid(sid()) };
}

/** The list with the most links gets another order. */
function editNav({ html, chance }: EditInputs): NearPair | undefined {
  return edited(html, (root) => {
    const lists = elements(root, "ul", "ol")
      .map((list) => ({ list, links: elements(list, "a").length }))
      .filter(({ list }) => elements(list, "li").length >= 4)
      .sort((a, b) => b.links - a.links);
    const list = lists[0]?.list;
    if (list === undefined || lists[0]!.links < 4) return false;
    list.childNodes = shuffled(list.childNodes, chance);
    return true;
  });
}

/** Of one paragraph in ten, at least one, half of the words are replaced by others. */
function editParagraph(inputs: EditInputs): NearPair | undefined {
  return edited(inputs.html, (root) => {
    const wordsOf = (node: TextNode) => node.value.trim().split(/\s+/);
    const paragraphs = elements(root, "p").map(textNodes).filter((nodes) => nodes.flatMap(wordsOf).length >= 20);
    const chosen = shuffled(paragraphs, inputs.chance).slice(0, Math.ceil(paragraphs.length / 10));
    for (const node of chosen.flat()) {
      const words = wordsOf(node);
      const half = Math.ceil(words.length / 2);
      node.value = ` ${words.slice(0, words.length - half).join(" ")} ${someWords(inputs, half)} `;
    }
    return chosen.length > 0;
  });
}

const BY_NAME: Readonly<Record<Edit, (inputs: EditInputs) => NearPair | undefined>> = {
  date: editDate,
  ad: editAd,
  session: editSession,
  nav: editNav,
  paragraph: editParagraph,
};

export function nearDuplicate(edit: Edit, inputs: EditInputs): NearPair | undefined {
  return BY_NAME[edit](inputs);
}
