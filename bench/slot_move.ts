/**
 * How long a slot of a given size stands still while it goes from one libSQL file to another.
 *
 *     deno run -A bench/slot_move.ts [URLs]
 *
 * Invariant: measures the mover that a coordinator runs, on an idle crawl; nothing is fetched.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { shardOf, slotOf } from "../protocol/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import { silentLog, spec } from "../tests/support/frontier.ts";

const URLS = Number(process.argv[2] ?? 100_000);
const PER_CALL = 10_000;
const DOMAIN = "giant.example";
const SCOPE = { kind: "domain", domains: [], include: [], exclude: [] } as const;

const folder = mkdtempSync(path.join(tmpdir(), "outrider-slot-move-"));
const at = (name: string) => path.join(folder, name);
const control = openLibsqlControlStore({ location: at("control.db") });
await control.open();
await control.directory.found(["frontier-0.db", "frontier-1.db"]);
const core = await loadCore();
const coordinator = await openCoordinator({
  core,
  controlStore: control,
  shardStores: [0, 1].map((shard) =>
    openLibsqlShardStore({ location: at(`frontier-${shard}.db`), clock: systemClock })
  ),
  clock: systemClock,
  random: systemRandom,
  digest: nativeDigest,
  log: silentLog,
  slots: {
    directory: control.directory,
    openReader: (location) => openLibsqlShardReader({ location: at(location) }),
  },
});
await coordinator.createCrawl("c", spec([`https://${DOMAIN}/`], { scope: SCOPE }));
for (let from = 0; from < URLS; from += PER_CALL) {
  const urls = Array.from({ length: PER_CALL }, (_, i) => `https://h${(from + i) % 100}.${DOMAIN}/${from + i}`);
  await coordinator.addSeeds("c", urls, { discoveredFrom: `https://${DOMAIN}/` });
}
const slot = slotOf(core.xxh64(new TextEncoder().encode(DOMAIN)));
const old = shardOf(coordinator.slotMap(), slot);
await control.directory.beginMove({ slot, from: old, to: 1 - old });
const beganMs = performance.now();
let stoodMs = 0;
const watch = setInterval(() => {
  if (stoodMs === 0 && shardOf(coordinator.slotMap(), slot) !== old) stoodMs = performance.now() - beganMs;
}, 1);
while ((await control.directory.read()).moves.length > 0) await coordinator.slots!.tick(await control.directory.read());
const totalMs = performance.now() - beganMs;
clearInterval(watch);
const { accepted } = coordinator.stats("c")!;
console.log(JSON.stringify({
  urls: accepted,
  stoodStillMs: Math.round(stoodMs),
  withDeletionMs: Math.round(totalMs),
  copiedPerSecond: Math.round(accepted / (stoodMs / 1000)),
}));
await coordinator.close();
rmSync(folder, { recursive: true });
