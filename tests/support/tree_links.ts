/**
 * Links and facts of a page by parse5's tree and the platform's URL class: the oracle of the core's scan.
 * Invariant: shares no code with the scan.
 */

import { type DefaultTreeAdapterTypes, parse } from "parse5";

export interface TreeLink {
  readonly url: string;
  readonly kind: string;
}

export interface TreeFacts {
  readonly links: readonly TreeLink[];
  readonly base: string;
  readonly title: string;
  readonly lang: string;
  readonly canonical: string | undefined;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Visible text, white space folded. */
  readonly text: string;
}

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

const HTML = "http://www.w3.org/1999/xhtml";
const EMBED_RELS = new Set(
  "stylesheet icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon fluid-icon preload modulepreload prefetch manifest"
    .split(" "),
);
const HINT_RELS = new Set(["preconnect", "dns-prefetch"]);

/** Every element of the tree, without the contents of templates, in document order. */
function* elementsOf(node: Node): Generator<Element> {
  if (!("childNodes" in node)) return;
  for (const child of node.childNodes) {
    if ("tagName" in child) yield child;
    yield* elementsOf(child);
  }
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((entry) => entry.name === name && entry.prefix === undefined)?.value;
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => "value" in child ? child.value : "").join("");
}

function parsed(url: string, base: string): string | undefined {
  return URL.canParse(url, base) ? new URL(url, base).href : undefined;
}

function fold(text: string): string {
  return text.replace(/[\t\n\f\r \u00a0]+/g, " ").replace(/^ | $/g, "");
}

/** The URL of `<meta http-equiv=refresh>`'s content. */
function refreshUrl(content: string): string | undefined {
  const match = /^[\t\n\f\r ]*[\d.]+[\t\n\f\r ]*[;, \t\n\f\r][\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(.*)$/is.exec(
    content,
  );
  const url = match?.[1] ?? "";
  if (url[0] !== '"' && url[0] !== "'") return url;
  return url.slice(1).split(url[0])[0];
}

function linkOf(element: Element): { kind: string; raw: string | undefined } | undefined {
  const href = attribute(element, "href");
  if (element.namespaceURI !== HTML) {
    const linked = href ?? element.attrs.find((entry) => entry.name === "href")?.value;
    return element.tagName === "a" ? { kind: "a", raw: linked } : undefined;
  }
  switch (element.tagName) {
    case "a":
    case "area":
      return { kind: element.tagName, raw: href };
    case "iframe":
    case "frame":
      return { kind: element.tagName, raw: attribute(element, "src") };
    case "meta":
      if (attribute(element, "http-equiv")?.toLowerCase() !== "refresh") return undefined;
      return { kind: "meta_refresh", raw: refreshUrl(attribute(element, "content") ?? "") };
    case "link": {
      const rels = (attribute(element, "rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/);
      if (rels.some((rel) => HINT_RELS.has(rel) || EMBED_RELS.has(rel))) return undefined;
      return { kind: "link", raw: href };
    }
  }
  return undefined;
}

function robotsOf(elements: readonly Element[]): Set<string> {
  const rules = elements.filter((element) =>
    element.tagName === "meta" && attribute(element, "name")?.trim().toLowerCase() === "robots"
  )
    .flatMap((element) => (attribute(element, "content") ?? "").toLowerCase().split(/[\s,]+/));
  return new Set(rules.flatMap((rule) => rule === "none" ? ["noindex", "nofollow"] : [rule]));
}

const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr"
    .split(" "),
);
const UNSEEN = new Set("script style title noscript iframe noembed noframes template".split(" "));

function visibleText(node: Node, out: string[]): void {
  if (!("childNodes" in node)) return;
  for (const child of node.childNodes) {
    if ("value" in child) out.push(child.value.replaceAll("\0", ""));
    if (!("tagName" in child)) continue;
    const isBreak = !INLINE.has(child.tagName);
    if (isBreak) out.push(" ");
    const isHtml = child.namespaceURI === HTML;
    if (isHtml ? !UNSEEN.has(child.tagName) : child.tagName !== "style" && child.tagName !== "script") {
      visibleText(child, out);
    }
    if (isBreak) out.push(" ");
  }
}

/** What the scan should find, without embeds and forms. */
export function treeFacts(html: string, pageUrl: string): TreeFacts {
  const document = parse(html, { scriptingEnabled: false });
  const elements = [...elementsOf(document)];
  const text: string[] = [];
  visibleText(document, text);
  const own = elements.filter((element) => element.namespaceURI === HTML);
  const baseHref = own.filter((element) => element.tagName === "base").map((element) => attribute(element, "href"))
    .find((href) => href !== undefined);
  const chosen = baseHref === undefined || baseHref.trim() === "" ? undefined : parsed(baseHref, pageUrl);
  const base = chosen === undefined || /^(javascript|data):/.test(chosen) ? pageUrl : chosen;
  const links: TreeLink[] = [];
  for (const element of elements) {
    const link = linkOf(element);
    if (link?.raw === undefined || link.raw.replace(/[\t\n\f\r ]+/g, "") === "") continue;
    const url = parsed(link.raw, base);
    if (url !== undefined) links.push({ url, kind: link.kind });
  }
  const canonical = own.find((element) =>
    element.tagName === "link" && (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/).includes("canonical")
  );
  const title = own.find((element) => element.tagName === "title");
  const rules = robotsOf(own);
  const href = canonical === undefined ? undefined : attribute(canonical, "href");
  return {
    links,
    base,
    title: title === undefined ? "" : fold(textOf(title)),
    lang:
      own.map((element) => element.tagName === "html" ? attribute(element, "lang") : undefined).find((lang) => lang) ??
        "",
    canonical: href === undefined || href === "" ? undefined : parsed(href, base),
    noindex: rules.has("noindex"),
    nofollow: rules.has("nofollow"),
    text: fold(text.join("")),
  };
}
