/**
 * Manners of the whole program, measured at the server: gaps between starts whatever the requests are, and what
 * Retry-After, Crawl-delay and robots.txt ask for.
 */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { type Ended, runOutrider, spawnOutrider, summaryOf } from "../support/outrider_process.ts";
import {
  answer,
  type Asked,
  gapsOf,
  html,
  missing,
  moved,
  page,
  type Script,
  type ScriptedSites,
  startSites,
  text,
} from "../support/scripted_sites.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

/** Rounding of timers, ms. */
const TOLERANCE_MS = 2;

interface Run {
  readonly script: Script;
  readonly seeds: (sites: ScriptedSites) => string[];
  readonly flags: readonly string[];
  /** The crawl is stopped when its JSON output has such a line; absent = it ends by itself. */
  readonly until?: RegExp;
}

interface Ran {
  readonly sites: ScriptedSites;
  readonly ended: Ended;
  readonly summary: Record<string, unknown>;
}

/** Crawls scripted sites under `*.test`, which all lie on the opened 127.0.0.1. */
async function crawl({ script, seeds, flags, until }: Run, judge: (ran: Ran) => void): Promise<void> {
  const sites = await startSites(script);
  const folder = temporaryFolder();
  const opened = ["--allow-address", "127.0.0.1", "--resolve", "*.test=127.0.0.1", "--contact", "ops@crawl.example"];
  const args = ["crawl", ...seeds(sites), "--json", "--data", folder.file("data"), ...opened, ...flags];
  try {
    const outrider = until === undefined ? undefined : spawnOutrider(args);
    if (outrider !== undefined) {
      await outrider.line(until!);
      outrider.kill("SIGINT");
    }
    const ended = await (outrider?.ended ?? runOutrider(args));
    judge({ sites, ended, summary: summaryOf(ended) });
  } finally {
    await sites.close();
    await folder.remove();
  }
}

function assertGaps(asked: readonly Asked[], leastMs: number): void {
  const paths = asked.map(({ path }) => path);
  for (const [index, gap] of gapsOf(asked).entries()) {
    assert.ok(
      gap >= leastMs - TOLERANCE_MS,
      `${paths[index + 1]} came ${gap.toFixed(1)} ms after ${paths[index]}; ${leastMs} ms are wanted.`,
    );
  }
}

const pace = (delayMs: number): string[] => ["--delay-ms", String(delayMs), "--delay-factor", "0"];
const there = ({ authority }: Asked, host: string): string => `http://${host}:${authority.split(":")[1]}`;

test("gap: pages, redirects of every kind and robots.txt redirects across hosts keep each host's delay", async () => {
  const script: Script = (asked) => {
    const { host, path } = asked;
    if (path === "/robots.txt") return host === "a.test" ? moved(`${there(asked, "b.test")}/rules?q`) : missing();
    if (path === "/rules?q") return text("User-agent: *\nDisallow: /private/\n");
    if (path === "/" && host === "a.test") {
      return page(
        "/same",
        "/%70rivate/x",
        "/to-private",
        "/hash",
        "/rel",
        "/userinfo",
        `${there(asked, "b.test")}/private/b`,
        `${there(asked, "xn--a.test")}/odd`,
      );
    }
    if (path === "/same") return moved("/same?utm_source=1");
    if (path === "/to-private") return moved("/private/secret");
    if (path === "/hash") return moved("/one#part");
    if (path === "/rel") return moved("../two");
    if (path === "/userinfo") return moved(`http://me:secret@${asked.authority}/three`);
    return page();
  };
  const flags = [...pace(250), "--scope", "any"];
  await crawl({ script, flags, seeds: (sites) => [sites.url("a.test")] }, ({ sites, ended, summary }) => {
    assert.equal(ended.code, 0, ended.stderr);
    for (const host of ["a.test", "b.test"]) assertGaps(sites.of(host), 250);
    const paths = sites.of("a.test").map(({ path }) => path);
    assert.deepEqual(paths.filter((path) => path.includes("rivate") && path !== "/to-private"), []);
    assert.deepEqual(paths.filter((path) => path === "/one" || path === "/two").sort(), ["/one", "/two"]);
    assert.ok(!paths.includes("/three"), "a redirect with a user name is no page");
    assert.deepEqual(sites.of("b.test").map(({ path }) => path), ["/rules?q", "/robots.txt", "/private/b"]);
    assert.deepEqual(
      sites.of("xn--a.test").map(({ path }) => path),
      ["/robots.txt", "/odd"],
      "a host that runtimes refuse",
    );
    assert.equal(summary.excluded, 2);
    assert.ok(sites.server.heads.every((head) => !/authorization|cookie/i.test(head)));
  });
});

test("gap: a site that ends kept connections without a word loses no page, no attempt, and no gap", async () => {
  const script: Script = ({ path }, request) => {
    if (request.nth > 1) return request.end();
    return path === "/robots.txt" ? missing() : page("/a", "/b");
  };
  await crawl({ script, flags: pace(120), seeds: (sites) => [sites.url("a.test")] }, ({ sites, ended, summary }) => {
    assert.equal(ended.code, 0, ended.stderr);
    assertGaps(sites.log, 120);
    const { fetched, dead, requests, errors_by_class } = summary;
    assert.deepEqual([fetched, dead, errors_by_class], [3, 0, {}]);
    // The first that is met by a kept connection is sent anew; then none is kept.
    assert.deepEqual(sites.log.map(({ path }) => path).sort(), ["/", "/", "/a", "/b", "/robots.txt"]);
    assert.equal(requests, 5);
  });
});

test("gap: with several requests in flight their starts still stand a delay apart", async () => {
  let open = 0;
  let most = 0;
  const script: Script = async ({ path }, request) => {
    most = Math.max(most, ++open);
    if (path !== "/robots.txt") await new Promise((resolve) => setTimeout(resolve, 500));
    open--;
    await request.send(path === "/robots.txt" ? missing() : page("/a", "/b", "/c", "/d", "/e"));
  };
  const flags = [...pace(150), "--max-parallel", "3"];
  await crawl({ script, flags, seeds: (sites) => [sites.url("a.test")] }, ({ sites }) => {
    assert.equal(sites.log.length, 7);
    assertGaps(sites.log, 150);
    assert.ok(most > 1 && most <= 3, `${most} requests were in flight`);
  });
});

test("gap: a Crawl-delay holds from robots.txt on, with several requests in flight too; a smaller one changes nothing", async () => {
  for (const [stated, wantedMs] of [["0.2", 400], ["1.2", 1200]] as const) {
    const script: Script = ({ path }) =>
      path === "/robots.txt" ? text(`User-agent: *\nCrawl-delay: ${stated}\n`) : page("/a", "/b");
    const flags = [...pace(400), "--max-parallel", "4"];
    await crawl({ script, flags, seeds: (sites) => [sites.url("a.test")] }, ({ sites, summary }) => {
      assert.equal(summary.fetched, 3);
      assertGaps(sites.log, wantedMs);
    });
  }
});

test("delay: the gap is the factor times the last response time, and small again after a fast answer", async () => {
  const script: Script = async ({ path }, request) => {
    if (path === "/slow") await new Promise((resolve) => setTimeout(resolve, 300));
    await request.send(path === "/robots.txt" ? missing() : page("/slow", "/a", "/b"));
  };
  const flags = ["--delay-ms", "200", "--delay-factor", "10"];
  await crawl({ script, flags, seeds: (sites) => [sites.url("a.test")] }, ({ sites }) => {
    const gaps = new Map(gapsOf(sites.log).map((gap, index) => [sites.log[index + 1]!.path, gap]));
    assert.ok(gaps.get("/a")! >= 3000, `after 300 ms of response came ${gaps.get("/a")} ms`);
    assert.ok(gaps.get("/b")! < 2500, `one slow answer slowed two starts: ${gaps.get("/b")} ms`);
    assertGaps(sites.log, 200);
  });
});

test("retry: a 5xx answer with Retry-After leaves the host alone for so long", async () => {
  const script: Script = ({ path }) => {
    if (path === "/robots.txt") return missing();
    return path === "/busy" ? answer("502 Bad Gateway", "", ["Retry-After: 3"]) : page("/busy", "/a");
  };
  const flags = [...pace(100), "--max-pages", "2"];
  await crawl({ script, flags, seeds: (sites) => [sites.url("a.test")] }, ({ sites }) => {
    const at = (path: string) => sites.log.find((asked) => asked.path === path)!.at;
    assert.ok(at("/a") - at("/busy") >= 3000, `the next request came after ${at("/a") - at("/busy")} ms`);
  });
});

function corrupt(body: string): Uint8Array {
  const bytes = new Uint8Array(gzipSync(body + "#".repeat(5000)));
  for (const at of [20, 25]) bytes[at]! ^= 0xff;
  return bytes;
}

const UNREADABLE: Readonly<Record<string, Script>> = {
  "is corrupt": async (_, request) => {
    const bytes = corrupt("User-agent: *\nDisallow: /\n");
    await request.send(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    await request.send(bytes);
  },
  "has an unknown coding": () => answer("200 OK", "\x01\x02\x03\x04", ["Content-Encoding: xyz"]),
  "breaks off": (_, request) => request.end("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\n"),
  "is a part": () => answer("206 Partial Content", "User", ["Content-Range: bytes 0-3/99"]),
  "redirects in a circle": () => moved("/robots.txt"),
  "redirects to a file": () => moved("file:///etc/passwd"),
  "redirects to a private address": () => moved("http://169.254.169.254/robots.txt"),
  "redirects to a mapped address": () => moved("http://[::ffff:a9fe:a9fe]/robots.txt"),
  "redirects with a user name": ({ authority }) => moved(`http://me:secret@${authority}/rules`),
  "is answered 429": () => answer("429 Too Many Requests", "", ["Retry-After: 3"]),
};

test("robots: what can't be read forbids everything for now, and never ends as allowed or dead", async () => {
  const names = Object.keys(UNREADABLE);
  const hostOf = (index: number) => `h${index}.site${index}.test`;
  const script: Script = (asked, request) => {
    const name = names[Number(asked.host.slice(1, asked.host.indexOf(".")))]!;
    return asked.path === "/robots.txt" ? UNREADABLE[name]!(asked, request) : page("/secret");
  };
  const classes = { unreachable: 5, redirect_refused: 1, bad_url: 1, address_refused: 2, http_429: 1 };
  const until = new RegExp(
    `^${Object.entries(classes).map(([name, n]) => `(?=.*"robots_${name}":${n}[,}])`).join("")}`,
  );
  const run = {
    script,
    until,
    flags: pace(50),
    seeds: (sites: ScriptedSites) => names.map((_, i) => sites.url(hostOf(i))),
  };
  await crawl(run, ({ sites, summary }) => {
    for (const [index, name] of names.entries()) {
      const others = sites.of(hostOf(index)).map(({ path }) => path).filter((path) => path !== "/robots.txt");
      assert.deepEqual(others, [], `a robots.txt that ${name}`);
    }
    assert.deepEqual([summary.fetched, summary.dead, summary.queued], [0, 0, names.length]);
  });
});

test("robots: plain text under a Content-Encoding that it hasn't got is read", async () => {
  const script: Script = ({ path }) =>
    path === "/robots.txt"
      ? answer("200 OK", "User-agent: *\nDisallow: /secret\n", ["Content-Encoding: gzip"])
      : page("/secret", "/open");
  await crawl({ script, flags: pace(50), seeds: (sites) => [sites.url("a.test")] }, ({ sites, summary }) => {
    assert.deepEqual(sites.log.map(({ path }) => path), ["/robots.txt", "/", "/open"]);
    assert.equal(summary.excluded, 1);
  });
});

test("robots: nofollow by meta, by our name and by X-Robots-Tag; what is for another robot isn't for us", async () => {
  const script: Script = ({ path }) => {
    if (path === "/robots.txt") return missing();
    if (path === "/") {
      return html("<meta name=robots content=noindex><a href=/named>a</a><a href=/tagged>b</a><a href=/other>c</a>");
    }
    if (path === "/named") return html("<meta name=outrider content=nofollow><a href=/hidden1>x</a>");
    const rule = path === "/tagged" ? "outrider: nofollow" : path === "/other" ? "otherbot: none" : "all";
    return answer("200 OK", `<a href=/from${path}>x</a>`, ["Content-Type: text/html", `X-Robots-Tag: ${rule}`]);
  };
  await crawl(
    { script, flags: [...pace(20), "--max-depth", "2"], seeds: (sites) => [sites.url("a.test")] },
    ({ sites }) => {
      const paths = sites.log.map(({ path }) => path);
      assert.ok(!paths.includes("/hidden1"));
      assert.ok(!paths.includes("/from/tagged"));
      assert.ok(paths.includes("/from/other"));
    },
  );
});

test("kill -9: after the restart a slow host still gets its gap, and nothing is fetched twice but what was under way", async () => {
  let reached: () => void;
  const killed = new Promise<void>((resolve) => reached = resolve);
  const script: Script = async ({ path }, request) => {
    if (path === "/b") reached();
    if (path !== "/robots.txt") await new Promise((resolve) => setTimeout(resolve, 100));
    await request.send(path === "/robots.txt" ? missing() : page("/a", "/b", "/c"));
  };
  const sites = await startSites(script);
  const folder = temporaryFolder();
  const flags = ["--delay-ms", "100", "--delay-factor", "10", "--contact", "ops@crawl.example", "--json"];
  const args = ["crawl", sites.url("127.0.0.1"), ...flags, "--data", folder.file("data")];
  try {
    const first = spawnOutrider(args);
    await killed;
    first.kill("SIGKILL");
    await first.ended;
    const summary = summaryOf(await runOutrider(args));
    assert.equal(summary.fetched, 4);
    assert.deepEqual(sites.log.map(({ path }) => path), ["/robots.txt", "/", "/a", "/b", "/b", "/c"]);
    assertGaps(sites.log.slice(1), 1000);
  } finally {
    await sites.close();
    await folder.remove();
  }
});
