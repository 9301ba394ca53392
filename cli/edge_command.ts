/**
 * `outrider edge`: a data-plane node that leases hosts from a coordinator and archives what it fetches.
 */

import process from "node:process";
import type { Command } from "commander";
import { loadCore } from "../core-wasm/mod.ts";
import type { SlotMap } from "../protocol/mod.ts";
import { systemClock, systemRandom } from "../runtime/node.ts";
import { defaultUserAgent } from "../coordinator/frontier/crawls/crawl_spec.ts";
import { addAddressFlags, type AddressFlags, checkAddressFlags } from "./address_flags.ts";
import { addSegmentFlags, openBlobs, type SegmentFlags, segmentPlace, tryBlobs } from "./blob_flags.ts";
import { lockFolder } from "./data_lock.ts";
import type { EdgeNodeSettings } from "./edge_node.ts";
import { Fault, USAGE } from "./fault.ts";
import { folder, many, name, number } from "./flags.ts";
import { openLog } from "./logging.ts";
import { openPublishing } from "./publishing.ts";
import { addScanFlag, type ScanFlag } from "./scan_flag.ts";
import { listenForStop } from "./stop_signal.ts";
import { VERSION } from "./version.ts";

interface Flags extends SegmentFlags, ScanFlag, AddressFlags {
  readonly coordinator: readonly string[];
  readonly region: string;
  readonly worker?: string;
  readonly contact?: string;
  readonly data: string;
  readonly hosts: number;
  readonly logJson?: boolean;
  readonly verbose?: boolean;
}

/** The edge's token comes from the environment, since flags are seen by everyone on the machine. */
const TOKEN_VARIABLE = "OUTRIDER_TOKEN";

export function registerEdge(program: Command): void {
  const command = program.command("edge")
    .description(`crawl for a coordinator; the token comes from ${TOKEN_VARIABLE}`)
    .requiredOption(
      "--coordinator <url>",
      "where a coordinator listens, e.g. https://crawl.example.org:8600; it names the others (repeatable)",
      many,
    )
    .requiredOption("--region <name>", "where this node stands; hosts near it are leased to it first", name)
    .option(
      "--worker <name>",
      "this node's name, unique in the fleet; the same after a restart (default: the region)",
      name,
    )
    .option("--contact <who>", "who runs this edge, for the warcinfo records: mail or web address")
    .option("--data <folder>", "the data folder", folder, "outrider-edge")
    .option("--hosts <n>", "hosts crawled at the same time", number({ least: 1, most: 10_000 }), 64)
    .option("--log-json", "log as JSON lines")
    .option("--verbose", "log more");
  addScanFlag(addSegmentFlags(addAddressFlags(command))).action(edge);
}

async function edge(flags: Flags): Promise<void> {
  const log = openLog({ level: flags.verbose ? "debug" : "info", json: flags.logJson ?? false });
  checkAddressFlags(flags);
  const baseUrls = flags.coordinator.map(coordinatorUrl);
  const segments = segmentPlace(flags);
  // Only now: the other commands start without them.
  const { createFleetFrontier } = await import("../edge/adapters/fleet_frontier.ts");
  const { CoordinatorUnreached } = await import("../edge/adapters/coordinator_client.ts");
  const { openEdgeNode } = await import("./edge_node.ts");
  const workerId = flags.worker ?? flags.region;
  const unlock = await lockFolder(flags.data);
  const stop = listenForStop(() => log.info("stopping: requests in flight are settled"));
  let refusal = "";
  try {
    const token = process.env[TOKEN_VARIABLE];
    const frontier = createFleetFrontier({
      baseUrls,
      clock: systemClock,
      random: systemRandom,
      log,
      signal: stop.signal,
      onRefusedToken: (sentence) => {
        refusal = `${sentence} The edge stops; the right token is wanted in ${TOKEN_VARIABLE}.`;
        stop.stop(refusal);
      },
      ...(token === undefined ? {} : { token }),
    });
    const core = await loadCore();
    const onLost = (sentence: string) => log.error("publishing failed; trying again", { sentence });
    let shards = [0];
    const onSlotMap = (map: SlotMap) => {
      if (map.shards !== shards.length) shards = Array.from({ length: map.shards }, (_, index) => index);
    };
    const settings = { ...edgeSettings(flags, workerId), segments };
    if (segments !== undefined) await tryBlobs(segments.place, `${workerId}/edge.json`);
    const publishing = await openPublishing({
      ...settings,
      frontier,
      core,
      shards: () => shards,
      onLocalTrouble: onLost,
      blobs: segments && openBlobs(segments.place),
    });
    const node = await openEdgeNode(settings, { frontier, core, log, onLocalTrouble: () => {}, onSlotMap });
    process.stdout.write(`Edge ${workerId} in region ${flags.region} works for ${baseUrls.join(", ")}\n`);
    try {
      await Promise.all([node.run(stop.signal), publishing.run(stop.signal)]);
    } finally {
      await node.close();
      await publishing.close();
      await frontier.close();
    }
    if (refusal !== "") throw new Fault(refusal);
  } catch (error) {
    if (refusal !== "") throw new Fault(refusal);
    throw error instanceof CoordinatorUnreached ? new Fault(error.message) : error;
  } finally {
    stop.dispose();
    await unlock();
  }
}

function edgeSettings(flags: Flags, workerId: string): EdgeNodeSettings {
  return {
    folder: flags.data,
    storagePrefix: `${workerId}/`,
    archiveName: workerId,
    workerId,
    region: flags.region,
    userAgent: defaultUserAgent(VERSION, flags.contact),
    contact: flags.contact,
    maxHosts: flags.hosts,
    scanThreads: flags.scanThreads,
    openedCidrs: flags.allowAddress,
    resolve: flags.resolve,
    resolvers: flags.resolver,
    timeoutMs: flags.timeoutMs,
    bodyBytes: Math.round(flags.maxBodyMb * 1e6),
  };
}

function coordinatorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, "");
  throw new Fault(`Reading --coordinator "${text}" failed: an http or https URL is wanted.`, USAGE);
}
