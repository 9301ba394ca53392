/**
 * What stands between a URL that passed the door and its fetch: the seen-set, robots.txt, clocks, policies, the crawl.
 * Invariant: reads only; robots.txt rules themselves are the edge's to apply, so of a URL that wasn't offered yet only
 * what is known of the file is told.
 */

import type { ExplainedCheck } from "../../explain_ports.ts";
import { originOf } from "../../../protocol/mod.ts";
import type { Inquiry } from "./explain.ts";
import type { HostPlace } from "../host_directory.ts";
import { utcTime } from "./utc_time.ts";

export function laterChecks(href: string, place: HostPlace, inquiry: Inquiry): ExplainedCheck[] {
  return [
    seenCheck(inquiry),
    ...robotsChecks(href, inquiry),
    hostCheck(place, inquiry),
    domainCheck(place, inquiry),
    addressCheck(place, inquiry),
    crawlCheck(inquiry),
  ];
}

function seenCheck({ row }: Inquiry): ExplainedCheck {
  const says = row === undefined
    ? "The crawl's seen-set doesn't hold it."
    : `The crawl accepted it at depth ${row.depth}${
      row.discoveredFrom === "" ? "" : `, found on ${row.discoveredFrom}`
    }.`;
  return { check: "seen", passes: true, says };
}

/** What is known of the file, and what it says of this URL where that is known too. */
function robotsChecks(href: string, inquiry: Inquiry): ExplainedCheck[] {
  const verdict = inquiry.looked?.robots;
  if (verdict === undefined) return [robotsCheck(href, inquiry)];
  const { allowed, rule, line } = verdict;
  const decides = rule === undefined ? "no rule of it fits" : `line ${line} decides: ${rule}`;
  const says = `robots.txt of ${originOf(href)} ${allowed ? "allows" : "forbids"} it; ${decides}.`;
  const file = robotsCheck(href, inquiry);
  return [
    file.passes
      ? { check: "robots", passes: allowed, says: `${says} ${file.says}` }
      : { ...file, says: `${file.says} ${says}` },
  ];
}

function robotsCheck(href: string, { shard, row, now }: Inquiry): ExplainedCheck {
  const origin = originOf(href);
  const known = shard.origins.get(origin);
  const file = `robots.txt of ${origin}`;
  if (row?.state === "excluded") return { check: "robots", passes: false, says: `It is excluded: ${row.reason}.` };
  if (known === undefined) {
    return { check: "robots", passes: true, says: `${file} hasn't been asked for yet; it will be before the URL is.` };
  }
  if (known.class === "unreachable") {
    const says =
      `${file} can't be had since ${
        utcTime(known.failingSince || known.fetchedAt, now)
      }, so nothing there may be fetched; the next ` +
      `try is at ${utcTime(known.retryAt, now)}.`;
    return { check: "robots", passes: false, says };
  }
  const age = known.expiresAt > now ? `holds until ${utcTime(known.expiresAt, now)}` : "is to be asked for again";
  const what = known.class === "rules" ? "has rules, which the edge applies to each URL" : "allows everything";
  return { check: "robots", passes: true, says: `${file} ${what}; it ${age}.` };
}

function hostCheck({ host: name }: HostPlace, { shard, now }: Inquiry): ExplainedCheck {
  const host = shard.hosts.get(name);
  const say = (passes: boolean, says: string): ExplainedCheck => ({ check: "host", passes, says });
  if (host === undefined) return say(true, "Nothing is known of its host yet.");
  if (host.blockedReason !== "") return say(false, `Its host is blocked: ${host.blockedReason}.`);
  if (host.paused) return say(false, "Its host is paused by an operator.");
  if (host.lease !== undefined) return say(false, `Its host is leased to ${host.lease.workerId}.`);
  const why = host.backoffMs > 0 ? "backs off" : "keeps its delay";
  if (host.nextStartAt > now) return say(false, `Its host ${why} until ${utcTime(host.nextStartAt, now)}.`);
  return say(true, "Its host may be asked now.");
}

function domainCheck({ domain }: HostPlace, { shard, now }: Inquiry): ExplainedCheck {
  const { paused, blockedReason } = shard.domains.row({ slot: 0, domain });
  if (blockedReason !== "") return { check: "domain", passes: false, says: `${domain} is blocked: ${blockedReason}.` };
  if (paused) return { check: "domain", passes: false, says: `${domain} is paused by an operator.` };
  const { inFlight, gapMs } = shard.domains.limitOf(domain);
  if (shard.domains.room(domain, now) >= 1) {
    return { check: "domain", passes: true, says: `${domain} has room for a further request.` };
  }
  const window = gapMs > 0 ? ` and as many starts in ${inFlight * gapMs} ms` : "";
  const says = `${domain} is asked as often as it may be: ${inFlight} requests under way${window}, on all its hosts.`;
  return { check: "domain", passes: false, says };
}

function addressCheck({ host: name }: HostPlace, { shard }: Inquiry): ExplainedCheck {
  const host = shard.hosts.get(name);
  const address = host?.address ?? "";
  if (address === "") return { check: "address", passes: true, says: "No edge has connected to its host yet." };
  const waits = shard.parkedAtAddress.isParked(address, host!);
  const says = waits
    ? `${address}, its host's address, is asked as often as it may be, for other hosts.`
    : `Its host's address is ${address}.`;
  return { check: "address", passes: !waits, says };
}

function crawlCheck({ crawl }: Inquiry): ExplainedCheck {
  const { state, reason } = crawl.row;
  const says = crawl.isRunning
    ? "The crawl is running."
    : `The crawl is ${state}${reason === "" ? "" : `: ${reason}`}.`;
  return { check: "crawl", passes: crawl.isRunning, says };
}
