/**
 * Says what became of URLs, and why: a line for each URL that is given, and one for each thing that stands in its way.
 *
 *   deno run -A examples/api_why.ts CRAWL-ID https://example.org/ https://example.org/private   (or: bun …)
 *
 * Environment: OUTRIDER_URL (default http://127.0.0.1:8600), OUTRIDER_TOKEN (of role reader or operator).
 */

import process from "node:process";

const BASE = process.env.OUTRIDER_URL ?? "http://127.0.0.1:8600";

interface Check {
  readonly check: string;
  readonly passes: boolean;
  readonly says: string;
}

async function explained(crawlId: string, url: string): Promise<string> {
  const query = new URLSearchParams({ crawl_id: crawlId, url });
  const token = process.env.OUTRIDER_TOKEN;
  const response = await fetch(new URL(`/v1/explain?${query}`, BASE), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const answer = await response.json();
  if (!response.ok) return `${response.status}: ${answer.detail}`;
  const obstacles = (answer.checks as readonly Check[]).filter(({ passes }) => !passes);
  return [`${answer.status}: ${answer.why}`, ...obstacles.map(({ check, says }) => `${check}: ${says}`)].join("\n  ");
}

const [crawlId, ...urls] = process.argv.slice(2);
if (crawlId === undefined || urls.length === 0) throw new Error("Usage: api_why.ts CRAWL-ID URL...");
for (const url of urls) console.log(`${url}\n  ${await explained(crawlId, url)}`);
