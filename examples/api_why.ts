/**
 * Says what became of URLs, and why: one line for each URL that is given.
 *
 *   deno run -A examples/api_why.ts CRAWL-ID https://example.org/ https://example.org/private   (or: bun …)
 *
 * Environment: OUTRIDER_URL (default http://127.0.0.1:8600), OUTRIDER_TOKEN (of role reader or operator).
 */

import process from "node:process";

const BASE = process.env.OUTRIDER_URL ?? "http://127.0.0.1:8600";

async function statusOf(crawlId: string, url: string): Promise<string> {
  const query = new URLSearchParams({ crawl_id: crawlId, url });
  const token = process.env.OUTRIDER_TOKEN;
  const response = await fetch(new URL(`/v1/crawl/url-status?${query}`, BASE), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const answer = await response.json();
  if (!response.ok) return `${response.status}: ${answer.detail}`;
  return `${answer.status}${answer.http_status === undefined ? "" : ` (HTTP ${answer.http_status})`}: ${answer.why}`;
}

const [crawlId, ...urls] = process.argv.slice(2);
if (crawlId === undefined || urls.length === 0) throw new Error("Usage: api_why.ts CRAWL-ID URL...");
for (const url of urls) console.log(`${url}\n  ${await statusOf(crawlId, url)}`);
