/**
 * Lets seeds of API requests into a crawl.
 * Invariant: either every URL of a request is a URL, or nothing of it is enqueued and the answer lists which aren't.
 */

import type { Coordinator, CrawlRow, SeedAnswer } from "../ports.ts";
import { isLoopbackUrl } from "../frontier/crawls/crawl_spec.ts";
import { ApiProblem } from "./problem.ts";

/** Longest piece of a malformed URL that an error repeats. */
const SHOWN_CHARS = 200;

/** Throws a 400 that lists the malformed URLs by index, if there are any. */
export function refuseMalformed(malformed: SeedAnswer["malformed"], total: number): void {
  if (malformed.length === 0) return;
  const first = malformed[0]!;
  throw new ApiProblem(
    400,
    `${malformed.length} of ${total} URLs are malformed, so nothing was enqueued; the first is number ${first.index}: ${first.error}`,
    {
      malformed: malformed.map(({ index, url, error }) => ({ index, url: url.slice(0, SHOWN_CHARS), error })),
    },
  );
}

/** Which of `urls` no URL parser takes, or have a scheme that isn't crawled: what can be told before anything is enqueued. */
export function malformedAmong(urls: readonly string[]): SeedAnswer["malformed"] {
  return urls.flatMap((url, index) => {
    const error = urlProblem(url);
    return error === undefined ? [] : [{ index, url, error }];
  });
}

/** A sentence when `url` can't be crawled because of how it is spelt. */
export function urlProblem(url: string): string | undefined {
  // Punycode that decodes to nothing is the core's to judge: the runtimes' parsers refuse what the URL Standard takes.
  const parsed = URL.parse(url) ?? URL.parse(url.replace(/xn--/gi, "xn0-"));
  if (parsed === null) return `${JSON.stringify(url.slice(0, SHOWN_CHARS))} is no absolute URL.`;
  const { protocol } = parsed;
  if (protocol === "http:" || protocol === "https:") return undefined;
  return `The scheme of ${JSON.stringify(url.slice(0, SHOWN_CHARS))} isn't crawled: http or https is wanted.`;
}

/** Throws a 400 when a crawl without a contact would be sent to a stranger's site. */
export function refuseStrangers({ crawlId, spec }: CrawlRow, urls: readonly string[]): void {
  if (spec.contact !== undefined) return;
  const stranger = urls.find((url) => !isLoopbackUrl(url));
  if (stranger === undefined) return;
  throw new ApiProblem(
    400,
    `Crawl ${JSON.stringify(crawlId)} names no contact, so only loopback may be crawled, but ${
      JSON.stringify(stranger.slice(0, SHOWN_CHARS))
    } isn't: set the server's contact, or create a crawl with one.`,
  );
}

/**
 * The depth at which a seed starts so that links are followed `maxDepth` deep from it: counted back from the crawl's
 * own limit. Throws a 400 when the crawl has none.
 */
export function startDepth({ crawlId, spec }: CrawlRow, maxDepth: number | undefined): number {
  if (maxDepth === undefined) return 0;
  const limit = spec.scope.max_depth;
  if (limit !== undefined) return Math.max(0, limit - maxDepth);
  throw new ApiProblem(
    400,
    `Crawl ${
      JSON.stringify(crawlId)
    } has no max_depth, so a max_depth of single seeds can't hold in it: create a crawl whose scope has one.`,
  );
}

export interface Discovery {
  readonly url: string;
  readonly priority?: number;
  readonly depth?: number;
  readonly discovered_from?: string;
}

/** Enqueues URLs that differ in priority, depth or origin: one call for each sort. Sums the answers. */
export async function enqueueSorted(
  coordinator: Coordinator,
  crawlId: string,
  discoveries: readonly Discovery[],
): Promise<SeedAnswer> {
  const sorts = Map.groupBy(discoveries, (item) => JSON.stringify([item.priority, item.depth, item.discovered_from]));
  const answers = await Promise.all([...sorts.values()].map((sort) => {
    const { priority, depth, discovered_from: discoveredFrom } = sort[0]!;
    return coordinator.addSeeds(crawlId, sort.map(({ url }) => url), { priority, depth, discoveredFrom });
  }));
  const forwarded = answers.reduce((sum, answer) => sum + (answer.forwarded ?? 0), 0);
  return {
    ...(forwarded > 0 ? { forwarded } : {}),
    enqueued: answers.reduce((sum, { enqueued }) => sum + enqueued, 0),
    alreadySeen: answers.reduce((sum, { alreadySeen }) => sum + alreadySeen, 0),
    rejected: answers.flatMap(({ rejected, malformed }) => [
      ...rejected,
      ...malformed.map(({ url, error }) => ({ url, reason: error })),
    ]),
    malformed: [],
  };
}

/** The member of an answer that tells what went to other coordinators' shards; none where nothing did. */
export function forwardedOf({ forwarded }: SeedAnswer): { forwarded?: number } {
  return forwarded === undefined ? {} : { forwarded };
}
