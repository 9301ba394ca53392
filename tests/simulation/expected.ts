/**
 * What a crawl of a planned web must come to: which URLs it accepts, and what becomes of each.
 * Invariant: worked out from the plan and the core's keys alone, without anything of the frontier or the edge.
 */

import type { Core } from "../../core-wasm/core.ts";
import { type Fingerprint, LIMITS } from "../../protocol/mod.ts";
import { pathOf } from "./web_server.ts";
import type { PagePlan, WebPlan } from "./web_plan.ts";

export type End = "page" | "missing" | "redirected" | "excluded" | "dead";

export interface Expected {
  readonly ends: ReadonlyMap<Fingerprint, { readonly url: string; readonly end: End }>;
  /** Answers with status 2xx. */
  readonly pages: number;
}

/** Everything that is reachable from `seeds`, in a crawl whose scope is the whole web. */
export function expectedOf(plan: WebPlan, seeds: readonly string[], core: Core): Expected {
  const ends = new Map<Fingerprint, { url: string; end: End }>();
  const open = [...seeds];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    const facts = core.url(url);
    if ("error" in facts || ends.has(facts.fingerprint) || isRefused(facts.url)) continue;
    const { end, leadsTo } = visit(plan, facts.url, facts.key, core);
    ends.set(facts.fingerprint, { url: facts.url, end });
    open.push(...leadsTo);
  }
  return { ends, pages: [...ends.values()].filter(({ end }) => end === "page").length };
}

interface Visit {
  readonly end: End;
  readonly leadsTo: readonly string[];
}

function visit(plan: WebPlan, url: string, key: string, core: Core): Visit {
  const host = plan.hosts.get(new URL(url).hostname);
  if (host === undefined || host.isGone) return { end: "dead", leadsTo: [] };
  const path = pathOf(url);
  if (path.includes("/private/") && host.robots !== "none") return { end: "excluded", leadsTo: [] };
  const page = plan.pages.get(`http://${path}`) ?? deepOf(plan, path);
  if (page === undefined || page.kind === "missing") return { end: "missing", leadsTo: [] };
  if (page.kind === "redirect") return redirect(page, key, core);
  const leadsTo = page.kind === "text" ? [] : page.links.map((link) => new URL(link, url).href);
  return { end: "page", leadsTo };
}

/** To the same key it goes in circles; to any other it is a discovery. */
function redirect(page: PagePlan, key: string, core: Core): Visit {
  const to = core.url(page.location, page.url);
  if ("error" in to) return { end: "dead", leadsTo: [] };
  return to.key === key ? { end: "dead", leadsTo: [] } : { end: "redirected", leadsTo: [to.url] };
}

function deepOf(plan: WebPlan, path: string): PagePlan | undefined {
  return plan.pages.get(`http://${path.replace(/(\/deep)+\/$/, "/deep/")}`);
}

function isRefused(url: string): boolean {
  const segments = new URL(url).pathname.split("/").filter((part) => part !== "");
  const times = segments.filter((part) => part === segments[0]).length;
  return segments.length > LIMITS.pathSegments || (segments.length > 0 && times > LIMITS.repeatedSegments);
}
