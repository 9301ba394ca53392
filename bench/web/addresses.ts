/**
 * Hosts of the synthetic web and the one canonical form of a request target.
 * Invariant: all spellings of one URL that a crawler may treat as one have the same canonical target here. Written
 * without the core, so that the two can disagree and a test can see it.
 */

import type { HostForm } from "./config.ts";

const NAME = /^h(\d+)\.web\.test$/i;
const ADDRESS = /^127\.(\d+)\.(\d+)\.(\d+)$/;

/** `h17.web.test` or `127.0.1.18`: hosts 0 to 249 are 127.0.1.1 to 127.0.1.250. */
export function hostName(host: number, form: HostForm): string {
  if (form === "name") return `h${host}.web.test`;
  const row = Math.floor(host / 250);
  return `127.${Math.floor((row + 1) / 256)}.${(row + 1) % 256}.${(host % 250) + 1}`;
}

/** The host's number in either form, with or without port; undefined when it isn't of this web. */
export function hostNumber(authority: string): number | undefined {
  const name = authority.replace(/:\d*$/, "").replace(/\.$/, "");
  const named = NAME.exec(name);
  if (named) return Number(named[1]);
  const address = ADDRESS.exec(name);
  if (!address) return undefined;
  const [high, middle, low] = [Number(address[1]), Number(address[2]), Number(address[3])];
  const row = high * 256 + middle - 1;
  return row < 0 || low < 1 || low > 250 ? undefined : row * 250 + low - 1;
}

/** `http://host[:port]`, the port left out when it is 80. */
export function originOf(host: number, form: HostForm, port: number): string {
  return `http://${hostName(host, form)}${port === 80 || port === 0 ? "" : `:${port}`}`;
}

const PLAIN = /^\/(?:[a-zA-Z0-9_~-][a-zA-Z0-9._~-]*\/)*(?:[a-zA-Z0-9_~-][a-zA-Z0-9._~-]*)?$/;
const TRACKING = /^(?:utm_[a-z]+|gclid|fbclid)(?:=|$)/i;

/** The canonical path and query of a request target in origin or absolute form. */
export function canonicalTarget(target: string): string {
  if (PLAIN.test(target)) return target;
  const rooted = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "") || "/";
  const [whole = ""] = rooted.split("#", 1);
  const mark = whole.indexOf("?");
  const path = canonicalPath(mark < 0 ? whole : whole.slice(0, mark));
  const query = mark < 0 ? "" : canonicalQuery(whole.slice(mark + 1));
  return query === "" ? path : `${path}?${query}`;
}

function canonicalPath(path: string): string {
  const out: string[] = [];
  const parts = path.replaceAll("\\", "/").split("/").slice(1);
  parts.forEach((part, i) => {
    const dots = part.replace(/%2e/gi, ".");
    const last = i === parts.length - 1;
    if (dots === "..") out.pop();
    else if (dots !== ".") return void out.push(part);
    if (last) out.push("");
  });
  return `/${out.map(canonicalEscapes).join("/")}`;
}

function canonicalQuery(query: string): string {
  return query.split("&").filter((pair) => pair !== "" && !TRACKING.test(pair)).map(canonicalEscapes)
    .map((pair) => ({ pair, name: pair.split("=", 1)[0]! }))
    .sort((a, b) => order(a.name, b.name) || order(a.pair, b.pair)).map((entry) => entry.pair).join("&");
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Escapes of unreserved characters undone, the others in upper case; raw non-ASCII (latin-1 bytes) escaped. */
function canonicalEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    const character = String.fromCharCode(parseInt(hex, 16));
    return /[a-zA-Z0-9._~-]/.test(character) ? character : `%${hex.toUpperCase()}`;
  }).replace(/[^\x21-\x7e]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
