/**
 * `outrider coordinator`: the control plane with its HTTP API; edges join with `outrider edge`.
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import type { Command } from "commander";
import { parseTokens } from "../coordinator/api/tokens.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import { serve } from "../runtime/serve.ts";
import { addApiFlags, type ApiFlags } from "./api_flags.ts";
import { addClusterFlags, type ClusterFlags, clusterPlaces } from "./cluster_flags.ts";
import { type CoordinatorNode, openClusterNode, openCoordinatorNode } from "./coordinator_node.ts";
import { addBlobFlags, type BlobFlags, blobPlace, openBlobs } from "./blob_flags.ts";
import { lockFolder } from "./data_lock.ts";
import { databaseThreads } from "./database_threads.ts";
import { Fault, USAGE } from "./fault.ts";
import { folder, many, number } from "./flags.ts";
import { addLimitFlags, type LimitFlags, limitSettings } from "./limit_flags.ts";
import { listingThread } from "./listing_thread.ts";
import { openLog } from "./logging.ts";
import { addRegionFlags, type RegionFlags, regionSettings } from "./region_flags.ts";
import { listenForStop } from "./stop_signal.ts";
import { VERSION } from "./version.ts";

interface Flags extends LimitFlags, RegionFlags, ApiFlags, BlobFlags, ClusterFlags {
  readonly listen: string;
  readonly port: number;
  readonly data: string;
  readonly shards: number;
  readonly databaseThreads: number;
  readonly contact?: string;
  readonly allowAddress: readonly string[];
  readonly name: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly logJson?: boolean;
  readonly verbose?: boolean;
}

/** Tokens come from the environment, since flags are seen by everyone on the machine. */
const TOKENS_VARIABLE = "OUTRIDER_TOKENS";

export function registerCoordinator(program: Command): void {
  const command = program.command("coordinator")
    .description(
      `own the frontier and answer the HTTP API; tokens come from "outrider token" and ${TOKENS_VARIABLE} (role:secret or role:name:secret, roles operator, edge, reader)`,
    )
    .option("--listen <address>", "address to listen on; anything but loopback needs tokens", "127.0.0.1")
    .option("--port <n>", "port to listen on; 0 = any free one", number({ least: 0, most: 65_535 }), 8600)
    .option("--data <folder>", "the data folder", folder, "outrider-coordinator")
    .option(
      "--shards <n>",
      "databases that the frontier is divided into; fixed once the folder exists, unless --cluster is given",
      number({ least: 1, most: 64 }),
      1,
    )
    .option("--contact <who>", "contact of crawls that name none")
    .option("--allow-address <cidr>", "the edges open this range (crawls with delay 0 need one; repeatable)", many, [])
    .option(
      "--name <host>",
      "a further hostname under which the API may be reached without tokens (repeatable)",
      many,
      [],
    )
    .option("--tls-cert <file>", "serve HTTPS with this certificate (PEM)")
    .option("--tls-key <file>", "... and this key (PEM)")
    .option(
      "--database-threads <n>",
      "threads in which database files are read and written, for machines with cores to spare; 0 = the one that answers",
      number({ least: 0, most: 64 }),
      0,
    )
    .option("--log-json", "log as JSON lines")
    .option("--verbose", "log more");
  addBlobFlags(command, "the blob store, for copies of the seen-set's filters [<data>/blobs]");
  addApiFlags(addRegionFlags(addLimitFlags(addClusterFlags(command)))).action(coordinator);
}

async function coordinator(flags: Flags): Promise<void> {
  const log = openLog({ level: flags.verbose ? "debug" : "info", json: flags.logJson ?? false });
  const tokens = readTokens();
  const tls = readTls(flags);
  const place = blobPlace(flags) ?? { url: `${flags.data}/blobs` };
  const places = clusterPlaces(flags);
  const unlock = await lockFolder(flags.data, { isShared: places !== undefined });
  const listings = listingThread();
  const databases = databaseThreads(flags.databaseThreads);
  const stop = listenForStop(() => log.info("stopping"));
  try {
    const core = await loadCore();
    const options = {
      core,
      log,
      settings: { ...limitSettings(flags), ...regionSettings(flags), keysUnderWorker: true },
      blobs: openBlobs(place),
      reader: listings.reader,
      ...(flags.databaseThreads === 0 ? {} : { thread: databases.connect }),
    };
    const node = places === undefined
      ? await openCoordinatorNode({ ...options, folder: flags.data, shards: flags.shards })
      : await openClusterNode(options, places);
    try {
      const server = await listen({ node, log, tokens, tls, flags });
      process.stdout.write(`Coordinator ${VERSION} listens on ${server.url}\n`);
      await systemClock.sleep(2 ** 50, stop.signal);
      await server.close();
    } finally {
      await node.coordinator.close();
    }
  } finally {
    listings.close();
    await databases.close();
    stop.dispose();
    await unlock();
  }
}

interface Listen {
  readonly node: CoordinatorNode;
  readonly log: ReturnType<typeof openLog>;
  readonly tokens: ReturnType<typeof readTokens>;
  readonly tls: ReturnType<typeof readTls>;
  readonly flags: Flags;
}

async function listen({ node, log, tokens, tls, flags }: Listen) {
  // Only now: the other commands start without it.
  const { startApi } = await import("../coordinator/api/server.ts");
  try {
    return await startApi({
      coordinator: node.coordinator,
      idempotency: node.control,
      operators: node.control,
      ...(node.shards === undefined ? {} : { shards: node.shards }),
      corsOrigins: flags.corsOrigin,
      rates: flags.rate,
      digest: nativeDigest,
      random: systemRandom,
      clock: systemClock,
      log,
      tokens,
      hostnames: flags.name,
      defaults: {
        version: VERSION,
        openedAddresses: flags.allowAddress.length > 0,
        ...(flags.contact === undefined ? {} : { contact: flags.contact }),
      },
      serve,
      hostname: flags.listen,
      port: flags.port,
      ...(tls === undefined ? {} : { tls }),
    });
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}

function readTokens() {
  try {
    return parseTokens(process.env[TOKENS_VARIABLE] ?? "", nativeDigest);
  } catch (error) {
    throw new Fault(`Reading ${TOKENS_VARIABLE}: ${(error as Error).message}`, USAGE);
  }
}

function readTls({ tlsCert, tlsKey }: Flags): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new Fault("Only one of --tls-cert and --tls-key was given; both are wanted.", USAGE);
  }
  try {
    return { cert: readFileSync(tlsCert, "utf8"), key: readFileSync(tlsKey, "utf8") };
  } catch (error) {
    throw new Fault(`Reading the TLS certificate failed: ${(error as Error).message}; two PEM files are wanted.`);
  }
}
