/**
 * Says what is wrong with a CrawlSpec before anything is stored: the one judge for the command line and the API.
 * Invariant: a spec that passes compiles (every pattern), names a contact wherever a stranger's site could be asked,
 * and asks no site harder than its address allows. Seeds that are no URLs are the frontier's to refuse, by index.
 */

import { fetchRuleProblems } from "./fetch_rules.ts";
import type { CrawlSpec, Politeness, Scope, SitemapUse } from "../../../protocol/mod.ts";
import { LIMITS } from "../../../protocol/mod.ts";

export interface SpecRules {
  /** The operator opened addresses: connections of a crawl with delay 0 go to those only. */
  readonly openedAddresses: boolean;
}

const SCOPE_KINDS = ["host", "domain", "prefix", "any"];
const SITEMAP_USES: readonly string[] = ["none", "robots", "all"] satisfies SitemapUse[];
const ORDERS = ["priority", "breadth_first"];
/** ids.ts, CrawlId. */
const CRAWL_ID = /^[a-z0-9_-]{1,64}$/;
/** RFC 9309 2.2.1: letters, underscore, hyphen. */
const PRODUCT_TOKEN = /^[A-Za-z_-]{1,64}$/;
/** RFC 9110 5.5: what may stand in a field value, ASCII only. */
const HEADER_TEXT = /^[\x20-\x7e]{1,512}$/;
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const HOSTNAME = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]+\\])$`);
const MAIL = /^[^\s@()<>]+@[^\s@()<>]+$/;
const WEB_CONTACT = /^https?:\/\/[^\s()<>]+$/;
const IPV4_LOOPBACK = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** `Outrider/<version> (+contact)`; without the bracket where no contact is needed. */
export function defaultUserAgent(version: string, contact?: string): string {
  return contact === undefined ? `Outrider/${version}` : `Outrider/${version} (+${contact})`;
}

/** The product token that robots.txt groups are matched by, unless a crawl sets its own. */
export const DEFAULT_PRODUCT_TOKEN = "outrider";

/** A sentence when `crawlId` can't name a crawl. */
export function validateCrawlId(crawlId: string): string[] {
  if (CRAWL_ID.test(crawlId)) return [];
  return [
    `A crawl can't be called ${quote(crawlId)}: a name is 1 to 64 lower-case letters, digits, hyphens or underscores.`,
  ];
}

/** One sentence for each thing that is wrong with `spec`; empty = it may be stored. Never throws. */
export function validateCrawlSpec(spec: CrawlSpec, rules: SpecRules): string[] {
  return [
    ...numberProblem("priority", spec.priority, { least: 0, most: 1 }),
    ...numberProblem("max_pages", spec.max_pages, { least: 1, most: Number.MAX_SAFE_INTEGER, whole: true }),
    ...(spec.seeds.length > LIMITS.seedsPerRequest
      ? [`A crawl starts with at most ${LIMITS.seedsPerRequest} seeds, but ${spec.seeds.length} were given.`]
      : []),
    ...scopeProblems(spec.scope),
    ...orderProblems(spec.order),
    ...sitemapProblems(spec.sitemaps),
    ...fetchRuleProblems(spec),
    ...politenessProblems(spec.politeness, rules),
    ...identityProblems(spec),
  ];
}

function orderProblems(order: string | undefined): string[] {
  if (order === undefined || ORDERS.includes(order)) return [];
  return [`The order ${quote(order)} is unknown: one of ${ORDERS.join(", ")} is wanted.`];
}

function sitemapProblems(use: string | undefined): string[] {
  if (use === undefined || SITEMAP_USES.includes(use)) return [];
  return [`The use of sitemaps ${quote(use)} is unknown: one of ${SITEMAP_USES.join(", ")} is wanted.`];
}

function scopeProblems(scope: Scope): string[] {
  const problems: string[] = [];
  if (!SCOPE_KINDS.includes(scope.kind)) {
    problems.push(`The scope kind ${quote(scope.kind)} is unknown: one of ${SCOPE_KINDS.join(", ")} is wanted.`);
  }
  problems.push(...numberProblem("max_depth", scope.max_depth, { least: 0, most: 1_000_000, whole: true }));
  if (scope.domains.length > LIMITS.scopeDomains) {
    problems.push(
      `A scope names at most ${LIMITS.scopeDomains} domains, but ${scope.domains.length} were given.`,
    );
  }
  for (const domain of scope.domains) {
    if (domain.length > 253 || !HOSTNAME.test(domain)) {
      problems.push(
        `The scope's domain ${
          quote(domain)
        } is no hostname: lower-case ASCII (Punycode) without scheme, port or path is wanted.`,
      );
    }
  }
  return [...problems, ...patternProblems("include", scope.include), ...patternProblems("exclude", scope.exclude)];
}

function patternProblems(list: string, patterns: readonly string[]): string[] {
  if (patterns.length > LIMITS.scopePatterns) {
    return [`A crawl has at most ${LIMITS.scopePatterns} ${list} patterns, but ${patterns.length} were given.`];
  }
  const problems: string[] = [];
  for (const pattern of patterns) {
    if (pattern.length > LIMITS.scopePatternChars) {
      problems.push(`A pattern of ${list} may have ${LIMITS.scopePatternChars} characters, not ${pattern.length}.`);
      continue;
    }
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      problems.push(
        `The ${list} pattern ${quote(pattern)} is no JavaScript regular expression in unicode mode: ${
          (error as Error).message
        }.`,
      );
    }
  }
  return problems;
}

function politenessProblems(politeness: Politeness, rules: SpecRules): string[] {
  const problems = [
    ...numberProblem("delay_ms", politeness.delay_ms, { least: 0, most: LIMITS.delayMaxMs, whole: true }),
    ...numberProblem("delay_factor", politeness.delay_factor, { least: 0, most: 1000 }),
    ...numberProblem("delay_cap_ms", politeness.delay_cap_ms, { least: 0, most: LIMITS.delayMaxMs, whole: true }),
    ...numberProblem("max_parallel", politeness.max_parallel, {
      least: 1,
      most: LIMITS.hostInFlightMax,
      whole: true,
    }),
  ];
  if (politeness.delay_ms === 0 && !rules.openedAddresses) {
    problems.push(
      "A delay of 0 ms is accepted only for addresses that the operator opened (--allow-address CIDR), and none is open: name them or ask for a delay of at least 1 ms.",
    );
  }
  return problems;
}

function identityProblems(spec: CrawlSpec): string[] {
  const problems: string[] = [];
  if (!PRODUCT_TOKEN.test(spec.product_token)) {
    problems.push(
      `The product token ${
        quote(spec.product_token)
      } is not one: letters, hyphens and underscores only (RFC 9309 2.2.1).`,
    );
  }
  if (!HEADER_TEXT.test(spec.user_agent)) {
    problems.push(
      `The user agent ${quote(spec.user_agent)} can't be sent: 1 to 512 printable ASCII characters are wanted.`,
    );
  } else if (!spec.user_agent.toLowerCase().includes(spec.product_token.toLowerCase())) {
    problems.push(
      `The user agent ${quote(spec.user_agent)} doesn't contain the product token ${
        quote(spec.product_token)
      }, so a site couldn't tell which robots.txt group is ours (RFC 9309 2.2.1).`,
    );
  }
  if (spec.contact !== undefined) problems.push(...contactProblems(spec.contact));
  else if (!staysOnLoopback(spec)) {
    problems.push(
      "A contact (web address or mail address) is needed before anything but loopback is crawled, and none was given.",
    );
  }
  return problems;
}

function contactProblems(contact: string): string[] {
  if (HEADER_TEXT.test(contact) && (MAIL.test(contact) || WEB_CONTACT.test(contact))) return [];
  return [
    `The contact ${quote(contact)} is neither a mail address nor a web address (http or https, no spaces or brackets).`,
  ];
}

/** True when no stranger can be asked: seeds and scope are this machine by name, or only opened addresses are (delay 0). */
function staysOnLoopback({ seeds, scope, politeness }: CrawlSpec): boolean {
  if (!seeds.every(isLoopbackUrl)) return false;
  return politeness.delay_ms === 0 || (scope.kind !== "any" && scope.domains.every(isLoopbackHost));
}

/** True when the URL's host is this machine by its very name: localhost, *.localhost, 127.0.0.0/8, [::1]. */
export function isLoopbackUrl(url: string): boolean {
  try {
    return isLoopbackHost(new URL(url).hostname);
  } catch {
    return false;
  }
}

/** The same for a hostname in WHATWG spelling (RFC 6761 6.3 for `localhost`). */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || IPV4_LOOPBACK.test(host);
}

function numberProblem(
  name: string,
  value: number | undefined,
  range: { readonly least: number; readonly most: number; readonly whole?: boolean },
): string[] {
  if (value === undefined) return [];
  const fits = range.whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= range.least && value <= range.most) return [];
  return [
    `${name} is ${value}, but a ${
      range.whole ? "whole number" : "number"
    } from ${range.least} to ${range.most} is wanted.`,
  ];
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);
}
