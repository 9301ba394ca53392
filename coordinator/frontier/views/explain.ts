/**
 * Why a URL was or wasn't fetched: asks the door again, with what it knows now, and looks at all that is asked later.
 * Invariant: reads only, and by the very functions that decide; so what it says is what would happen.
 */

import type { ExplainedCheck, Explanation, RobotsVerdict } from "../../explain_ports.ts";
import type { UrlRow } from "../../ports.ts";
import { fingerprintToHex, originOf } from "../../../protocol/mod.ts";
import { admissionReason, type Applicant } from "../door/admission.ts";
import type { Crawl } from "../crawls/crawl.ts";
import { familyOf } from "../door/family.ts";
import { shapeReason } from "../door/url_limits.ts";
import { admissionChecks, scopeCheck, shapeCheck } from "./explain_door.ts";
import { laterChecks } from "./explain_fetch.ts";
import type { HostPlace } from "../host_directory.ts";
import { newHost } from "../host_state.ts";
import type { Shard } from "../shard.ts";
import { isSeedPath } from "../accept.ts";
import { urlStatusOf } from "./url_status.ts";

/** Depth that is assumed of a URL that the crawl doesn't know: a link on a seed. */
const ASSUMED_DEPTH = 1;

/** A URL as the core sees it. */
export interface UrlInQuestion {
  readonly href: string;
  readonly key: string;
  readonly fingerprint: bigint;
  readonly place: HostPlace;
}

/** What a URL is judged with. `row`: as the store has it; undefined = the crawl hasn't accepted it. */
export interface Inquiry {
  readonly shard: Shard;
  readonly crawl: Crawl;
  readonly row: UrlRow | undefined;
  /** Wall ms. */
  readonly now: number;
  /** What is looked up for an explanation only. */
  readonly looked?: LookedUp;
}

export interface LookedUp {
  readonly robots?: RobotsVerdict;
  readonly ahead?: number;
  readonly duplicatesOf: readonly string[];
}

export function explain(url: UrlInQuestion, inquiry: Inquiry): Explanation {
  const { crawl, row } = inquiry;
  const { href, key, fingerprint, place } = url;
  const applicant = applicantOf(url, inquiry);
  const refusal = refusalOf(url, inquiry, applicant);
  const depth = row?.depth ?? ASSUMED_DEPTH;
  const checks: ExplainedCheck[] = [
    shapeCheck(href, inquiry.shard.parts.settings.limits),
    scopeCheck(crawl, { href, host: place.host, domain: place.domain }, { depth, isSeed: applicant.isSeed }),
    ...admissionChecks(inquiry.shard, applicant),
    ...laterChecks(href, place, inquiry),
  ];
  return {
    url: row?.url ?? href,
    key,
    fingerprint: fingerprintToHex(fingerprint),
    host: place.host,
    domain: place.domain,
    ...verdict(key, inquiry, { refusal, checks }),
    ...(refusal === undefined ? {} : { refusal }),
    checks,
    ...waiting(url, inquiry),
    duplicatesOf: [],
    ...inquiry.looked,
    ...(row === undefined ? {} : { row: shownRow(row) }),
  };
}

/** Until when a URL that is queued can't be fetched, as far as a time is known. */
function waiting({ href, place }: UrlInQuestion, { shard, row, now }: Inquiry): Pick<Explanation, "waitingUntil"> {
  if (row?.state !== "ready" && row?.state !== "waiting") return {};
  const host = shard.hosts.get(place.host);
  const origin = shard.origins.get(originOf(href));
  const robotsAt = origin?.class === "unreachable" ? origin.retryAt : 0;
  const until = Math.max(row.availableAt, host?.nextStartAt ?? 0, robotsAt);
  return until > now ? { waitingUntil: until } : {};
}

function applicantOf({ href, place }: UrlInQuestion, { shard, crawl, row, now }: Inquiry): Applicant {
  const host = shard.hosts.get(place.host) ?? newHost(place);
  const queue = host.queues.find(({ crawlId }) => crawlId === crawl.id);
  const isSeed = row !== undefined && isSeedPath(row.discoveryPath);
  return { crawl, host, queue, family: familyOf(href), isSeed, now };
}

/** In the order in which the door asks. */
function refusalOf({ href, place }: UrlInQuestion, inquiry: Inquiry, applicant: Applicant): string | undefined {
  const { shard, crawl, row } = inquiry;
  const { rules } = crawl;
  const depth = row?.depth ?? ASSUMED_DEPTH;
  if (!applicant.isSeed && !rules.admitsHost(place.host, place.domain)) return "scope";
  return shapeReason(href, shard.parts.settings.limits) ??
    rules.reason({ href, host: place.host, domain: place.domain }, depth, applicant.isSeed) ??
    admissionReason(shard, applicant);
}

function verdict(
  key: string,
  { shard, crawl, row, now }: Inquiry,
  { refusal, checks }: { readonly refusal: string | undefined; readonly checks: readonly ExplainedCheck[] },
): Pick<Explanation, "status" | "why"> {
  if (row !== undefined) {
    const { status, why } = urlStatusOf(row, key, { shard, crawl, now });
    return { status, why };
  }
  if (refusal === undefined) {
    return { status: "unknown", why: "the crawl hasn't met it: no page that was reported links to it" };
  }
  const reasons = checks.filter(({ check, passes }) => !passes && AT_THE_DOOR.has(check)).map(({ says }) => says);
  return { status: "unknown", why: `refused at the door (${refusal}): ${reasons.join(" ")}` };
}

const AT_THE_DOOR: ReadonlySet<ExplainedCheck["check"]> = new Set([
  "shape",
  "scope",
  "host_budget",
  "domain_budget",
  "queue",
  "duplicates",
  "trap",
]);

function shownRow(row: UrlRow): NonNullable<Explanation["row"]> {
  const { priority, band, depth, hop, discoveryPath, discoveredFrom, enqueuedAt, attempts, inLinks } = row;
  return { priority, band, depth, hop, discoveryPath, discoveredFrom, enqueuedAt, attempts, inLinks };
}

/** What the core refuses has no place in any crawl. */
export function explainRefused(input: string, error: string, limits: { readonly urlBytes: number }): Explanation {
  const refusal = input.length > limits.urlBytes ? "url_bytes" : "malformed";
  return {
    url: input,
    key: "",
    fingerprint: "",
    host: "",
    domain: "",
    status: "unknown",
    why: `refused at the door (${refusal}): ${error}`,
    duplicatesOf: [],
    refusal,
    checks: [{ check: "shape", passes: false, says: error }],
  };
}
