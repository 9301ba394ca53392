/** Crawls of sites with one trap each: they end within the trap's bound, and no real page is missed. */

import assert from "node:assert/strict";
import type { Coordinator } from "../../ports.ts";
import { LIMITS } from "../../../protocol/mod.ts";
import { nativeDigest } from "../../../runtime/node.ts";
import { ask, complete, fetched, newWorld, robots, spec, start, type World } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const HOST = "https://a.example";
const utf8 = new TextEncoder();

interface Page {
  readonly links: readonly string[];
  /** The body; equal bodies are duplicates. */
  readonly body: string;
  /** 16 hex digits. */
  readonly simhash?: string;
}

type Site = (path: string) => Page;

/** Crawls to the end; returns the paths in order. A crawl of more than `most` pages is a failure. */
async function crawlSite(coordinator: Coordinator, world: World, site: Site, most: number): Promise<string[]> {
  const paths: string[] = [];
  for (let quiet = 0; quiet < 120_000; quiet += 1_000) {
    const { leases } = await ask(coordinator);
    for (const lease of leases) {
      quiet = 0;
      const outcomes = lease.targets.map((target) => {
        if (target.kind === "robots") return robots(target);
        const path = target.url.slice(HOST.length);
        paths.push(path);
        const { links, body, simhash } = site(path);
        const base = fetched(target, links.map((link) => HOST + link));
        const content_hash = nativeDigest.sha256Hex(utf8.encode(body));
        const facts = { ...base.capture, content_hash, length: body.length, ...(simhash ? { simhash } : {}) };
        return { ...base, capture: facts };
      });
      await complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
      assert.ok(paths.length <= most, `${paths.length} pages, and no end: ${paths.slice(-3).join(" ")}`);
    }
    await world.clock.advance(1_000);
  }
  return paths;
}

async function openCrawl(settings: Parameters<typeof start>[1] = {}) {
  const world = newWorld();
  const coordinator = await start(world, settings);
  const politeness = { delay_ms: 1, delay_factor: 0, delay_cap_ms: 60_000, max_parallel: 8 };
  await coordinator.createCrawl("c", spec([`${HOST}/`], { politeness }));
  return { world, coordinator };
}

/** 300 articles on 300 days, listed by month; each month links to its neighbours. */
const ARTICLES = Array.from({ length: 300 }, (_, i) => {
  const month = `${2001 + Math.floor(i / 60)}/${Math.floor(i / 5) % 12 + 1}`;
  return { month, path: `/news/${month}/${i % 28 + 1}/story-${i}` };
});

function archive(path: string): Page | undefined {
  const article = ARTICLES.find((one) => one.path === path);
  if (article !== undefined) return { links: ["/"], body: `Story at ${path}. `.repeat(40) };
  const month = /^\/news\/(\d+)\/(\d+)$/.exec(path);
  if (month === null) return undefined;
  const links = ARTICLES.filter((one) => `/news/${one.month}` === path).map((one) => one.path);
  return { links, body: `Month ${path}. `.repeat(30) + links.join(" ") };
}

const MONTHS = [...new Set(ARTICLES.map(({ month }) => `/news/${month}`))];
const REAL = ["/", ...MONTHS, ...ARTICLES.map(({ path }) => path)];

/** The real site with a trap on its home page. */
function siteWith(trap: string, trapPage: Site): Site {
  return (path) => {
    if (path === "/") return { links: [...MONTHS, trap], body: "Welcome. ".repeat(50) };
    return archive(path) ?? trapPage(path);
  };
}

function realOf(paths: readonly string[]): string[] {
  return paths.filter((path) => REAL.includes(path)).sort();
}

function next(path: string): number {
  return Number(/(\d+)(?!.*\d)/.exec(path)![1]) + 1;
}

const TRAPS: readonly {
  readonly name: string;
  readonly first: string;
  readonly page: Site;
  readonly bound: number;
  readonly reason: string;
}[] = [
  {
    name: "a calendar without end, month by month",
    first: "/calendar/1970/1",
    page: (path) => {
      const [, year, month] = /(\d+)\/(\d+)$/.exec(path)!;
      const step = Number(year) * 12 + Number(month);
      return { links: [`/calendar/${Math.floor(step / 12)}/${step % 12 + 1}`], body: `${path} is empty. `.repeat(20) };
    },
    bound: LIMITS.calendarBarrenMonths + 60,
    reason: "calendar",
  },
  {
    name: "a calendar in the query, of the far future",
    first: "/cal?day=2031-01-01",
    page: (path) => {
      const [, year, month, day] = /(\d+)-(\d+)-(\d+)$/.exec(path)!;
      const two = (value: number) => String(value).padStart(2, "0");
      const at = Number(day) % 28 + 1;
      const links = [`/cal?day=${year}-${month}-${two(at)}`, `/cal?day=${Number(year) + 1}-${month}-${two(at)}`];
      return { links, body: `${path} is empty. `.repeat(20) };
    },
    bound: LIMITS.calendarBarrenDays + 60,
    reason: "calendar",
  },
  {
    name: "session ids",
    first: "/shop?sid=1&step=0",
    page: (path) => ({
      links: [`/shop?sid=${next(path)}&step=${next(path)}`, "/"],
      body: `Our shop at ${path}. `.repeat(20),
      simhash: "00ff00ff00ff00ff",
    }),
    bound: LIMITS.sessionPages + 60,
    reason: "session",
  },
  {
    name: "a path that grows by a relative link (E17)",
    first: "/www.other.example/x",
    page: (path) => ({ links: [`${path.slice(0, path.lastIndexOf("/"))}/www.other.example/x`], body: path.repeat(20) }),
    bound: LIMITS.repeatedSegments + 1,
    reason: "repeated_segment",
  },
  {
    name: "a path that grows by numbered folders",
    first: "/deep/1",
    page: (path) => ({ links: [`${path}/${next(path)}`], body: path.repeat(20) }),
    bound: LIMITS.pathSegments,
    reason: "path_segments",
  },
  {
    name: "a query that grows by one filter a page",
    first: "/filter?f1=1",
    page: (path) => ({ links: [`${path}&f${next(path)}=${next(path)}`], body: path.repeat(20) }),
    bound: LIMITS.queryParameters,
    reason: "query_parameters",
  },
  {
    name: "a URL that grows by its own name",
    first: "/echo?",
    page: (path) => ({ links: [`${path}${"x".repeat(100)}`], body: path.repeat(20) }),
    bound: 25,
    reason: "url_bytes",
  },
];

for (const { name, first, page, bound, reason } of TRAPS) {
  test(`trap: ${name} ends within its bound, and every real page is fetched`, async () => {
    const { world, coordinator } = await openCrawl();
    const paths = await crawlSite(coordinator, world, siteWith(first, page), REAL.length + bound);
    assert.deepEqual(realOf(paths), [...REAL].sort());
    const { state, rejected_by_reason } = coordinator.stats("c")!;
    assert.equal(state, "finished");
    assert.ok((rejected_by_reason[reason] ?? 0) >= 1, JSON.stringify(rejected_by_reason));
    await world.clock.advance(2_000);
    const tally = world.disks[0]!.tallies.get("c a.example")!;
    assert.equal(tally.rejectedByReason[reason], rejected_by_reason[reason], "counted for the host too, durably");
    await coordinator.close();
  });
}

test("a host whose pages are copies without end is cut, and what it had queued is still fetched", async () => {
  const { world, coordinator } = await openCrawl();
  const site = siteWith("/copy/a", (path) => ({
    links: [`${path}b`, `${path}c`].filter((link) => link.length < 40),
    body: "The same page as ever. ".repeat(20),
  }));
  const paths = await crawlSite(coordinator, world, site, 60_000);
  assert.deepEqual(realOf(paths), [...REAL].sort());
  assert.ok(paths.length < 12_000, `${paths.length} pages of a tree that has millions`);
  await world.clock.advance(2_000);
  const tally = world.disks[0]!.tallies.get("c a.example")!;
  assert.equal(tally.isCut, true);
  assert.ok(tally.rejectedByReason["duplicates"]! > 0);
  await coordinator.close();
});

test("copies on a handful of pages cut nothing", async () => {
  const { world, coordinator } = await openCrawl();
  const count = LIMITS.duplicatePages - 10;
  const site: Site = (path) => {
    const links = path === "/" ? Array.from({ length: count }, (_, i) => `/copy-of-${i}`) : [`${path}/more`];
    return { links: path.endsWith("more") ? [] : links, body: "All alike. ".repeat(20) };
  };
  const paths = await crawlSite(
    coordinator,
    world,
    (path) => path.endsWith("more") ? { links: [], body: path.repeat(20) } : site(path),
    1_000,
  );
  assert.equal(paths.length, 1 + 2 * count);
  await coordinator.close();
});
