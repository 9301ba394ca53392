/**
 * The kinds of disagreement with other canonicalisers, each with a test for it: data. The first that holds is the one.
 * Invariant: a kind looks at the case, never at which source it comes from.
 */

import type { CanonCase } from "./corpus_urls.ts";

export interface Kind {
  readonly name: string;
  readonly holds: (one: CanonCase, ours: string | null) => boolean;
}

function hasOption(...names: string[]): (one: CanonCase) => boolean {
  return ({ options = {} }) => names.some((name) => name in options);
}

const text = (value: unknown) => typeof value === "string" ? value : "";

/** A URL as those have it who escape what RFC 3986 doesn't allow and the URL Standard lets stand. */
function strictly(url: string): string {
  const [, origin = "", rest = ""] = /^([^:]*:\/\/[^/?#]*)(.*)$/s.exec(url) ?? [];
  return origin + rest.replace(/[[\]\\^|]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

const sorted = (url: string) => url.replace(/\?([^#]*)/, (_, query: string) => `?${query.split("&").sort().join("&")}`);
const plain = (url: string) => sorted(url).replace(/#.*/s, "").replace(/^([^:]*:\/\/[^/?#]*)(?=\?|$)/, "$1/");

function fullyDecoded(url: string): string {
  for (let next = url;; url = next) {
    next = url.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === url) return url;
  }
}

export const KINDS: readonly Kind[] = [
  {
    name: "parameters chosen by the caller",
    holds: hasOption(
      "queryElementsToRemove",
      "queryParamsToRemove",
      "parameterlist",
      "normalizations",
      "keepQueryParameters",
      "keep_blank_values",
      "query_separator",
    ),
  },
  {
    name: "rules for one site",
    holds: ({ options = {} }) =>
      options.plugin === "protocol" || options.scope === "scope1" || options.plugin === "slash",
  },
  { name: "query in another charset", holds: hasOption("encoding", "path_encoding", "input_was_bytes") },
  {
    name: "no scheme",
    holds: ({ input }) => !/^\s*[a-z][a-z0-9+-]*:(?!\d)/i.test(input.replace(/[\t\n\r\u2028\u2029]/g, "")),
  },
  { name: "other schemes", holds: ({ input }) => !/^\s*https?:\/\//i.test(input.replace(/[\t\n\r\u2028\u2029]/g, "")) },
  { name: "userinfo dropped", holds: ({ input }) => /^https?:\/\/[^/?#]*@/i.test(input) },
  {
    name: "scheme or port changed",
    holds: hasOption("forceHttps", "forceHttp", "stripProtocol", "removeExplicitPort"),
  },
  {
    name: "fragment read as query",
    holds: ({ input, options = {} }) => options.plugin === "ajax" || /#.*[!?]/.test(input),
  },
  { name: "sessions by looser patterns", holds: ({ input }) => /[?&;_](sid|_?sessionid|jsessionid)=/i.test(input) },
  { name: "refused there, allowed by the URL Standard", holds: ({ expected }) => expected === null },
  {
    name: "hosts repaired or kept that are none",
    holds: ({ input }, ours) =>
      ours === null || /^[^:]*:\/\/[^/]*(\.\.|\.{2,}|&|%)/.test(input) || /^https?:\/\/\./.test(input),
  },
  { name: "space as plus", holds: ({ input, expected }) => / |%20/.test(input) && text(expected).includes("+") },
  {
    name: "equals sign of an empty value",
    holds: ({ expected }, ours) =>
      sorted(text(expected)).replace(/=(?=&|$)/g, "") === sorted(text(ours)).replace(/=(?=&|$)/g, ""),
  },
  {
    name: "characters escaped that the URL Standard lets stand",
    holds: ({ expected }, ours) => plain(strictly(text(expected))) === plain(strictly(text(ours))),
  },
  { name: "backslash as a character", holds: ({ input }) => input.includes("\\") },
  { name: "escapes repaired", holds: ({ input }) => /%u[0-9a-f]{4}/i.test(input) },
  {
    name: "reserved characters decoded, once or until none is left",
    holds: ({ expected }, ours) => fullyDecoded(plain(text(expected))) === fullyDecoded(plain(text(ours))),
  },
  {
    name: "several of the changes at once",
    holds: ({ options = {} }) => Array.isArray(options.flags) || "removeDirectoryIndex" in options,
  },
];
