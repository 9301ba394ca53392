import assert from "node:assert/strict";
import { loadCore } from "../core-wasm/mod.ts";
import { packPage, type PageToScan, unpackPage } from "../edge/steps/packed_page.ts";
import { systemClock } from "../runtime/node.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { defaultScanThreads } from "./scan_flag.ts";
import { openScanThreads, type ScanThreadsOptions } from "./scan_threads.ts";

const PROGRAM = new URL("../tests/support/hostile_scan_child.ts", import.meta.url);
const encoder = new TextEncoder();
const core = await loadCore();

function pageOf(begin: string, bytes = 40_000): PageToScan {
  const links = Array.from(
    { length: 200 },
    (_, i) => `<a href="/${begin}/${i}" rel="${i % 3 ? "" : "nofollow"}">word ${i}</a>`,
  );
  const html = encoder.encode(
    `${begin}<title>${begin}</title><meta name=robots content=noindex>${links.join("")}`.padEnd(bytes, " more"),
  );
  return { html, options: { url: "http://e.example/", embeds: true, productToken: "outrider" }, skipNofollow: true };
}

async function withThreads(
  options: Partial<ScanThreadsOptions>,
  body: (threads: ReturnType<typeof openScanThreads>) => Promise<void>,
): Promise<void> {
  const threads = openScanThreads({ count: 1, clock: systemClock, log: silentLog, ...options });
  try {
    await body(threads);
  } finally {
    threads.close();
  }
}

test("scan threads: facts and outlinks are those of a scan in this thread; small pages are left to it", async () => {
  await withThreads({ count: 2 }, async (threads) => {
    assert.equal(threads.scan(pageOf("small", 2_000)), undefined);
    const pages = ["one", "two", "three", "four"].map((name) => pageOf(name));
    const packed = await Promise.all(pages.map((page) => threads.scan(page)!));
    assert.deepEqual(packed, pages.map((page) => packPage(core, page)));
    const page = core.scan(pages[0]!.html, pages[0]!.options);
    const unpacked = unpackPage(packed[0]!);
    assert.deepEqual(unpacked.outlinks(), page.outlinks({ skipNofollow: true }));
    const [known] = unpacked.outlinks()[1]!.hash;
    assert.equal(unpacked.outlinks({ isKnown: (low) => low === known }).length, unpacked.outlinks().length - 1);
    assert.deepEqual([unpacked.title, unpacked.noindex, unpacked.simhash], ["one", true, page.simhash]);
  });
});

test("scan threads: a thread has one page at work and one that waits; what is more is left to the caller", async () => {
  await withThreads({}, async (threads) => {
    const taken = [threads.scan(pageOf("a")), threads.scan(pageOf("b"))];
    assert.equal(threads.scan(pageOf("c")), undefined);
    await Promise.all(taken);
    assert.notEqual(threads.scan(pageOf("d")), undefined);
  });
});

test("scan threads: a page that ends its thread fails, the one behind it is scanned by the next thread", async () => {
  await withThreads({ program: PROGRAM }, async (threads) => {
    const [bad, good] = await Promise.all([threads.scan(pageOf("throw"))!, threads.scan(pageOf("after"))!]);
    assert.match(bad.facts.failed ?? "", /thread ended/);
    assert.deepEqual([good.facts.title, good.facts.failed], ["after", undefined]);
  });
});

test("scan threads: a thread that is silent is given up, the page behind is scanned", async () => {
  await withThreads({ program: PROGRAM, patienceMs: 3_000 }, async (threads) => {
    const [bad, good] = await Promise.all([threads.scan(pageOf("silent"))!, threads.scan(pageOf("after"))!]);
    assert.match(bad.facts.failed ?? "", /silent for 3000 ms/);
    assert.deepEqual([good.facts.title, good.facts.failed], ["after", undefined]);
  });
});

test("scan threads: pages that are open when it closes are answered as failed", async () => {
  let open: ReturnType<ReturnType<typeof openScanThreads>["scan"]>;
  await withThreads({}, async (threads) => void (open = threads.scan(pageOf("late"))));
  assert.match((await open!).facts.failed ?? "", /closed/);
});

test("scan threads: none by default where two cores have enough to do, then one a core, four at most", () => {
  assert.deepEqual([1, 2, 3, 4, 6, 64].map(defaultScanThreads), [0, 0, 1, 2, 4, 4]);
});
