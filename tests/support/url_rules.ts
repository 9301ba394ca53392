/**
 * Models of the key's rules, each over the href of an http(s) URL. They are the specification in the plainest words.
 * Invariant: shares no code with the core.
 */

import type { NormalizeRule } from "../../core-wasm/mod.ts";

interface Pieces {
  readonly head: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
  /** With its "?"; "" without one. */
  readonly query: string;
  readonly fragment: string;
}

function split(href: string): Pieces {
  const match = /^(https?:\/\/(?:[^/?#]*@)?)(\[[^\]]*\]|[^/?#:]*)(:\d*)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(href)!;
  const [, head = "", host = "", port = "", path = "", query = "", fragment = ""] = match;
  return { head, host, port, path, query, fragment };
}

function join({ head, host, port, path, query, fragment }: Pieces): string {
  return head + host + port + path + query + fragment;
}

function on<K extends keyof Pieces>(part: K, change: (text: string) => string): (href: string) => string {
  return (href) => {
    const pieces = split(href);
    return join({ ...pieces, [part]: change(pieces[part]) });
  };
}

function both(change: (text: string) => string): (href: string) => string {
  return (href) => on("query", (query) => query === "" ? "" : `?${change(query.slice(1))}`)(on("path", change)(href));
}

function onParameters(change: (parameters: string[]) => string[]): (href: string) => string {
  return on("query", (query) => query === "" ? "" : `?${change(query.slice(1).split("&")).join("&")}`);
}

const name = (parameter: string) => parameter.split("=", 1)[0]!;
const value = (parameter: string) => parameter.slice(name(parameter).length + 1);
const order = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** Ends with "%", or with one and a digit. */
const endsStray = (text: string) => /%[0-9a-f]?$/i.test(text);

/** A "%" that stays stray must not become an escape's beginning. */
function decodeUnreserved(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const escape = /^%[0-9a-f]{2}/i.exec(text.slice(i))?.[0];
    const character = escape === undefined ? "" : String.fromCharCode(parseInt(escape.slice(1), 16));
    if (escape !== undefined && UNRESERVED.test(character) && !endsStray(out)) {
      out += character;
      i += 2;
    } else if (escape !== undefined) {
      out += escape;
      i += 2;
    } else out += text[i];
  }
  return out;
}

const TRACKING = new RegExp(
  `^(?:${
    ("__hsfp __hssc __hstc _ga _gl _hsenc _hsmi _kx _openstat dclid epik fbclid gad_campaignid gad_source gbraid gclid gclsrc " +
      "hsctatracking igsh igshid irclickid li_fat_id mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash msclkid oly_anon_id " +
      "oly_enc_id rb_clickid rdt_cid s_cid sccid scclid srsltid ttclid twclid vero_conv vero_id wbraid wickedid yclid ysclid")
      .replaceAll(" ", "|")
  }|(?:utm_|mtm_|pk_|piwik_|hsa_).+)$`,
  "i",
);

function isSession(parameter: string): boolean {
  if (/^(jsessionid|phpsessid|sid)=[a-z0-9]{32}$/i.test(parameter)) return true;
  return /^aspsessionid[a-z]{8}=[a-z]{24}$/i.test(parameter);
}

function stripSessions(parameters: string[]): string[] {
  const kept: string[] = [];
  for (const parameter of parameters.filter((one) => !isSession(one))) {
    const isColdFusion = /^cftoken(=|$)/i.test(parameter) && /^cfid(=|$)/i.test(kept.at(-1) ?? "");
    if (isColdFusion) kept.pop();
    else kept.push(parameter);
  }
  return kept;
}

function stripPathSessions(path: string): string {
  const session = /^(.*\/)\((?:[a-z0-9]{24}|(?:[a-z]\([a-z0-9]{24}\))+)\)\/([^?]+\.aspx.*)$/is;
  for (let match = session.exec(path); match !== null; match = session.exec(path)) path = match[1]! + match[2]!;
  return path;
}

const INDEX = /\/(?:index|default)\.(?:x?html?|s?html|phtml|php[345]?|aspx?|jspx?|cfm)$/i;

/** What each rule alone makes of an href. */
export const URL_RULES: Readonly<Record<NormalizeRule, (href: string) => string>> = {
  dropFragment: on("fragment", () => ""),
  refuseUserinfo: (href) => split(href).head.endsWith("@") ? "" : href,
  decodeUnreserved: (href) => {
    const inPath = on("path", decodeUnreserved)(href);
    return onParameters((all) =>
      all.map((one) =>
        one.includes("=")
          ? `${decodeUnreserved(name(one))}${decodeUnreserved(`=${value(one)}`)}`
          : decodeUnreserved(one)
      )
    )(inPath);
  },
  upperCaseEscapes: both((text) => text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())),
  encodeStrayPercent: both((text) => text.replace(/%(?![0-9a-f]{2})/gi, "%25")),
  sortQuery: onParameters((all) => all.toSorted((a, b) => order(name(a), name(b)) || order(value(a), value(b)))),
  stripTracking: onParameters((all) => all.filter((one) => !TRACKING.test(name(one)))),
  dropEmptyParameters: onParameters((all) => all.filter((one) => one !== "")),
  dropEmptyQuery: on("query", (query) => query === "?" ? "" : query),
  lowerCase: both((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  stripSessions: (href) => on("path", stripPathSessions)(onParameters(stripSessions)(href)),
  stripWww: on("host", (host) => {
    while (/^www\d*\.[^.][^]*\./.test(host)) host = host.replace(/^www\d*\./, "");
    return host;
  }),
  dropHostDot: on("host", (host) => /[^.]\.$/.test(host) ? host.slice(0, -1) : host),
  collapseSlashes: on("path", (path) => path.replace(/\/+/g, "/")),
  dropIndexFile: on("path", (path) => path.replace(INDEX, "/")),
  dropTrailingSlash: on("path", (path) => path.replace(/\/+$/, "") || "/"),
};
