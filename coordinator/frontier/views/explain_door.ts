/**
 * What the door says to a URL, check by check, as sentences.
 * Invariant: reads only; each sentence names what was found and what is allowed.
 */

import type { ExplainedCheck } from "../../explain_ports.ts";
import { admissionReason, type Applicant, useOf } from "../door/admission.ts";
import { cycleEndsAt } from "../door/budget.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { ScopedUrl, ScopeReason } from "../door/scope.ts";
import { type ShapeReason, shapeReason } from "../door/url_limits.ts";
import { queryParametersOf } from "../order/priority.ts";
import type { FrontierLimits } from "../settings.ts";
import type { Shard } from "../shard.ts";
import { findFamily, trapReason } from "../door/traps.ts";
import { utcDay } from "./utc_time.ts";

export function shapeCheck(href: string, limits: FrontierLimits): ExplainedCheck {
  const reason = shapeReason(href, limits);
  if (reason === undefined) return { check: "shape", passes: true, says: "Its length and form are within the limits." };
  const says: Record<ShapeReason, string> = {
    url_bytes: `It is ${href.length} bytes long; at most ${limits.urlBytes} are taken.`,
    path_segments: `Its path has more than ${limits.pathSegments} segments.`,
    repeated_segment:
      `One segment stands in its path more than ${limits.repeatedSegments} times, as in a path that grows.`,
    query_parameters: `Its query has ${
      queryParametersOf(href)
    } parameters; at most ${limits.queryParameters} are taken.`,
  };
  return { check: "shape", passes: false, says: says[reason] };
}

export function scopeCheck(
  crawl: Crawl,
  url: ScopedUrl,
  { depth, isSeed }: { readonly depth: number; readonly isSeed: boolean },
): ExplainedCheck {
  const { scope } = crawl.row.spec;
  const reason = crawl.rules.reason(url, depth, isSeed);
  if (reason === undefined) {
    return { check: "scope", passes: true, says: `It is in the crawl's scope (${scope.kind}).` };
  }
  const says: Record<ScopeReason, string> = {
    scope: `It isn't in the crawl's scope (${scope.kind}); scope.domains would let its host in.`,
    include: `It matches no include pattern of the crawl (${scope.include.join(" , ")}).`,
    exclude: `It matches an exclude pattern of the crawl (${
      scope.exclude.find((pattern) => new RegExp(pattern, "u").test(url.href)) ?? ""
    }).`,
    max_depth: `Its depth is ${depth}; the crawl follows links to depth ${scope.max_depth}.`,
  };
  return { check: "scope", passes: false, says: says[reason] };
}

/** What host and domain have used, and whether it looks like a trap. */
export function admissionChecks(shard: Shard, applicant: Applicant): ExplainedCheck[] {
  const { limits } = shard.parts.settings;
  const { crawl, host } = applicant;
  const use = useOf(shard, applicant);
  const ends = utcDay(cycleEndsAt(crawl.row.createdAt, use.cycle, limits.budgetCycleMs));
  return [
    {
      check: "host_budget",
      passes: use.hostUsed < limits.hostBudgetUrls,
      says: `${use.hostUsed} of ${limits.hostBudgetUrls} URLs of its host were accepted in this budget cycle, ` +
        `which ends on ${ends}.`,
    },
    {
      check: "domain_budget",
      passes: use.domainUsed < limits.domainBudgetUrls,
      says: `${use.domainUsed} of ${limits.domainBudgetUrls} URLs of ${host.domain} were accepted in it.`,
    },
    {
      check: "queue",
      passes: use.queued < limits.hostQueueUrls,
      says: `${use.queued} URLs of its host are queued; ${limits.hostQueueUrls} may be.`,
    },
    duplicatesCheck(shard, applicant),
    trapCheck(shard, applicant),
  ];
}

function duplicatesCheck(shard: Shard, applicant: Applicant): ExplainedCheck {
  const { tally } = useOf(shard, applicant);
  const passes = admissionReason(shard, { ...applicant, family: undefined }) !== "duplicates";
  const counted = `of its host's last ${tally?.pages ?? 0} pages ${tally?.duplicates ?? 0} had the content of another`;
  return {
    check: "duplicates",
    passes,
    says: passes ? `Not cut: ${counted}.` : `Its host's budget is cut: ${counted}.`,
  };
}

function trapCheck(shard: Shard, { crawl, host, family, isSeed, now }: Applicant): ExplainedCheck {
  if (family === undefined) {
    return { check: "trap", passes: true, says: "It is of no family of generated URLs (dates, values)." };
  }
  const { limits } = shard.parts.settings;
  const state = findFamily(shard.tallies.find(crawl.id, host.host)?.families ?? [], family);
  const reason = isSeed ? undefined : trapReason(state, family, { limits, now });
  const what = family.kind === "values" ? "that differ in values alone" : `that differ in a date (${family.kind})`;
  const seen = state === undefined
    ? "none of which the crawl watches"
    : `of which ${state.accepted} were accepted; of ${state.pages} pages ${state.duplicates} were duplicates, the last ` +
      `${state.barren} alike and without new links`;
  return {
    check: "trap",
    passes: reason === undefined,
    says: `${reason === undefined ? "It is" : `It looks like a trap (${reason}):`} one of URLs ${what}, ${seen}.`,
  };
}
