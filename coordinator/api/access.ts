/**
 * Who may ask what: a table, and the checks that keep web pages of strangers out of an open loopback API.
 * Invariant: a path that the table doesn't name is the operator's alone.
 */

import { isLoopbackHost } from "../frontier/crawls/crawl_spec.ts";
import type { Role } from "./tokens.ts";

interface Rule {
  readonly method: "GET" | "*";
  readonly path: RegExp;
  /** Beside the operator, who may everything; "open" = no token needed. */
  readonly roles: readonly (Role | "open")[];
}

const TABLE: readonly Rule[] = [
  { method: "GET", path: /^\/healthz$/, roles: ["open"] },
  { method: "GET", path: /^\/(?:openapi\.json|docs)$/, roles: ["reader", "edge"] },
  { method: "GET", path: /^\/(?:readyz|metrics)$/, roles: ["reader"] },
  { method: "GET", path: /^\/v1\/domains\/[^/]+$/, roles: ["reader"] },
  { method: "GET", path: /^\/v1\/(?:events$|pages\/)/, roles: ["reader"] },
  { method: "GET", path: /^\/v1\/crawls(?:\/|$)/, roles: ["reader"] },
  { method: "GET", path: /^\/v1\/(?:crawl\/url-status|explain)$/, roles: ["reader"] },
  { method: "GET", path: /^\/v1\/(?:hosts\/[^/]+|fleet)$/, roles: ["reader"] },
  { method: "*", path: /^\/v1\/frontier\/enqueue$/, roles: [] },
  { method: "*", path: /^\/v1\/frontier\//, roles: ["edge"] },
];

/** Roles that may send this request beside the operator. */
export function rolesFor(method: string, path: string): readonly (Role | "open")[] {
  const asked = method === "HEAD" ? "GET" : method;
  return TABLE.find((rule) => (rule.method === "*" || rule.method === asked) && rule.path.test(path))?.roles ?? [];
}

/**
 * Why an open API (no tokens) refuses this request, or undefined. A web page that a person on this machine looks at
 * can send requests to loopback: by its own name (DNS rebinding), which Host betrays, or across sites, which Origin and
 * Sec-Fetch-Site betray. `names` are further hostnames under which the API may be reached, `origins` those of
 * pages that an operator lets in.
 */
export function strangerProblem(
  { headers, url }: Request,
  names: readonly string[],
  origins: readonly string[] = [],
): string | undefined {
  const host = headers.get("host") ?? new URL(url).host;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (!isLoopbackHost(name) && !names.includes(name)) {
    return `The request asks for the host ${
      JSON.stringify(host.slice(0, 100))
    }, but without tokens this API answers only as ${["localhost", ...names].join(", ")}.`;
  }
  const origin = headers.get("origin");
  if (origin !== null && origins.includes(origin)) return undefined;
  const site = headers.get("sec-fetch-site");
  const crossOrigin = origin !== null && origin !== `http://${host}` && origin !== `https://${host}`;
  if (crossOrigin || site === "cross-site" || site === "same-site") {
    return "The request comes from a web page of another origin, and without tokens this API answers none of those.";
  }
  return undefined;
}
