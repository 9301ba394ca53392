/**
 * The seen-set alone, on a libSQL file with `synchronous=FULL`: URL texts in, "new" or "seen" out, every new one durable
 * when its batch is answered; at several sizes, shares and shapes of links.
 * Invariant: the answers are checked against what was offered, so that a wrong one ends the benchmark.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostDirectory } from "../coordinator/frontier/host_directory.ts";
import { clusterOf, SeenKeys } from "../coordinator/frontier/seen/seen_keys.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import type { Core } from "../core-wasm/core.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { evenSlotMap } from "../protocol/mod.ts";
import { systemClock } from "../runtime/node.ts";
import { SeenWorld } from "../tests/support/seen_world.ts";
import { processUsage } from "./process_usage.ts";
import type { Row } from "./report/table.ts";
import { type LinkShape, OfferMaker, urlOf } from "./seen_urls.ts";

export interface SeenBenchOptions {
  /** URLs in the set when it is measured, ascending. */
  readonly sizes: readonly number[];
  /** URLs that are offered for each row. */
  readonly offered: number;
  /** Told how far it has come. */
  readonly onRow: (sentence: string) => void;
}

const SALT = { low: 0x9e3779b9, high: 0x85ebca6b };
const FILL_BATCH = 1000;

/** Rows for each size, batch, share and shape; and one for filling up to each size. */
export async function benchSeen({ sizes, offered, onRow }: SeenBenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "outrider-seen-"));
  const store = openLibsqlShardStore({ location: join(folder, "shard.db"), clock: systemClock });
  try {
    await store.open("bench", 1);
    const core = await loadCore();
    const bench = new SeenBench(core, await SeenWorld.open({ core, store }), join(folder, "shard.db"));
    const rows: Row[] = [];
    for (const size of sizes) {
      rows.push(await bench.fill(size));
      onRow(`The seen-set holds ${size} URLs.`);
      for (const shape of ["pages", "random"] as const) {
        for (const [batch, callers] of [[100, 1], [100, 8], [1000, 1]] as const) {
          for (const seenShare of [0.95, 0.05]) {
            rows.push(await bench.measure({ size, shape, batch, callers, seenShare }, offered));
          }
        }
      }
    }
    bench.free();
    return rows;
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Shape {
  readonly size: number;
  readonly shape: LinkShape;
  readonly batch: number;
  /** Batches that come at once and share a commit, as the shard's writer groups them. */
  readonly callers: number;
  readonly seenShare: number;
}

class SeenBench {
  readonly #core: Core;
  readonly #world: SeenWorld;
  readonly #file: string;
  readonly #directory: HostDirectory;
  readonly #offers = new OfferMaker();
  #filled = 0;

  constructor(core: Core, world: SeenWorld, file: string) {
    this.#core = core;
    this.#world = world;
    this.#file = file;
    this.#directory = new HostDirectory(core, { map: evenSlotMap(1) });
  }

  /** All numbered URLs up to `size`, each batch of one host, as a site's pages bring them. */
  async fill(size: number): Promise<Row> {
    const before = processUsage()!.cpuSeconds;
    const from = this.#filled;
    for (; this.#filled < size; this.#filled += FILL_BATCH) {
      const first = this.#filled;
      const answers = await this.#offer(Array.from({ length: FILL_BATCH }, (_, i) => urlOf(first + i)));
      if (answers.includes(0)) throw new Error(`Filling the seen-set: a URL from ${first} on was taken for seen.`);
    }
    await this.#world.rest();
    const cpuSeconds = processUsage()!.cpuSeconds - before;
    return this.#row({ URLs: size, links: "fill", batch: FILL_BATCH, callers: 1, "seen %": 0 }, {
      cpuSeconds,
      offered: size - from,
    });
  }

  async measure(what: Shape, offered: number): Promise<Row> {
    const batches = Array.from({ length: Math.ceil(offered / what.batch) }, () => this.#offers.batch(what));
    // Once over the numbers, so that no row pays for what the row before left undone.
    await this.#world.rest();
    const { blockReads, checks, falsePositives, fresh } = this.#world.seen.tally;
    const before = processUsage()!.cpuSeconds;
    for (let from = 0; from < batches.length; from += what.callers) {
      await this.#offer(batches.slice(from, from + what.callers).flat());
    }
    const cpuSeconds = processUsage()!.cpuSeconds - before;
    const { tally } = this.#world.seen;
    const asked = tally.checks - checks;
    return {
      ...this.#row(
        {
          URLs: what.size,
          links: what.shape,
          batch: what.batch,
          callers: what.callers,
          "seen %": Math.round(100 * what.seenShare),
        },
        { cpuSeconds, offered: asked },
      ),
      "reads/check": (tally.blockReads - blockReads) / asked,
      "false positives %": (100 * (tally.falsePositives - falsePositives)) / Math.max(1, tally.fresh - fresh),
    };
  }

  #row(head: Row, { cpuSeconds, offered }: { cpuSeconds: number; offered: number }): Row {
    const { runs, runKeys, filterBytes, cacheBytes } = this.#world.seen.facts();
    return {
      ...head,
      "checks/CPU s": offered / cpuSeconds,
      "us/check": (cpuSeconds * 1e6) / offered,
      "reads/check": 0,
      "false positives %": 0,
      runs,
      "filter B/URL": filterBytes / Math.max(1, runKeys),
      "file B/URL": statSync(this.#file).size / Math.max(1, runKeys),
      "block cache MB": cacheBytes / 2 ** 20,
      "peak RSS MB": processUsage()!.peakRssMb,
    };
  }

  /** As the frontier does it: one crossing to the core, the host's place by name, then the seen-set. */
  async #offer(urls: readonly string[]): Promise<Uint8Array> {
    const batch = this.#core.urls(urls);
    const keys = new SeenKeys();
    const fingerprints = batch.fingerprints.slice();
    const hosts = urls.map((_, i) => batch.host(i));
    for (let i = 0; i < urls.length; i++) {
      keys.addUrl(clusterOf(this.#directory.placeOf(hosts[i]!).domainHash, SALT), fingerprints[i]!, SALT);
    }
    const answers = await this.#world.offer(keys);
    // Native memory of statements is freed between macrotasks only.
    await systemClock.sleep(0);
    return answers;
  }

  free(): void {
    this.#world.seen.free();
  }
}
