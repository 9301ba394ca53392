/**
 * Flags of a coordinator that is one of several.
 */

import path from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { CLUSTER_TIMES, type ClusterTimes } from "../coordinator/frontier/cluster/times.ts";
import { isUrl } from "../coordinator/store/libsql_client.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault, USAGE } from "./fault.ts";
import { many, number } from "./flags.ts";

export interface ClusterFlags {
  readonly cluster?: boolean;
  readonly control?: string;
  readonly shard: readonly string[];
  readonly url?: string;
  readonly ownerTtlMs: number;
}

/** The token of databases on a server; from the environment, since flags are seen by everyone on the machine. */
export const LIBSQL_TOKEN_VARIABLE = "OUTRIDER_LIBSQL_TOKEN";

export function addClusterFlags(command: Command): Command {
  return command
    .option("--cluster", "be one of several coordinators, which share the databases; see docs/OPERATING.md")
    .option(
      "--control <place>",
      `the control database: a file or the URL of a libSQL server, whose token is ${LIBSQL_TOKEN_VARIABLE} [<data>/control.db]`,
    )
    .option("--shard <place>", "a database of the frontier, likewise (repeatable) [<data>/frontier-N.db]", many, [])
    .option(
      "--url <base>",
      "where edges, and whoever is told to come here, reach this coordinator [http://listen:port]",
    )
    .option(
      "--owner-ttl-ms <n>",
      "a coordinator that is silent for so long loses its shards; the same for all of them",
      number({ least: 1_000, most: 600_000 }),
      CLUSTER_TIMES.ownerTtlMs,
    );
}

export interface ClusterPlaces {
  readonly control: string;
  readonly shards: readonly string[];
  /** Without a slash at the end. */
  readonly url: string;
  readonly authToken: string | undefined;
  readonly times: Partial<ClusterTimes>;
}

interface Given extends ClusterFlags {
  readonly data: string;
  readonly shards: number;
  readonly listen: string;
  readonly port: number;
  readonly tlsCert?: string;
}

/** Undefined: it is the only coordinator. Throws a Fault for what can't go together. */
export function clusterPlaces(flags: Given): ClusterPlaces | undefined {
  if (flags.cluster !== true) {
    const stray = flags.control !== undefined || flags.shard.length > 0 || flags.url !== undefined;
    if (stray) throw new Fault("--control, --shard and --url were given without --cluster; it is wanted too.", USAGE);
    return undefined;
  }
  const paths = dataPaths(flags.data);
  const control = placeOf(flags.control ?? paths.control);
  const ofFolder = () => Array.from({ length: flags.shards }, (_, index) => placeOf(paths.shard(index)));
  // Beside a control database on a server nothing is made in the folder unasked.
  const shards = flags.shard.length > 0 ? flags.shard.map(placeOf) : isUrl(control) ? [] : ofFolder();
  const double = shards.find((place, index) => shards.indexOf(place) !== index);
  if (double !== undefined) throw new Fault(`--shard ${double} is given twice; each database is one shard.`, USAGE);
  const times = timesOf(flags.ownerTtlMs);
  return { control, shards, url: urlOf(flags), authToken: libsqlToken(), times };
}

/** Undefined: none was given. */
export function libsqlToken(): string | undefined {
  return process.env[LIBSQL_TOKEN_VARIABLE] || undefined;
}

/** A shorter term needs more beats. */
function timesOf(ownerTtlMs: number): Partial<ClusterTimes> {
  const beatMs = Math.min(CLUSTER_TIMES.beatMs, Math.floor(ownerTtlMs / 10));
  return { ownerTtlMs, beatMs, directoryMs: beatMs, marginMs: Math.floor(0.3 * ownerTtlMs) };
}

/** The same database has the same name in all coordinators. */
function placeOf(place: string): string {
  return isUrl(place) ? place : path.resolve(place);
}

function urlOf({ url, listen, port, tlsCert }: Given): string {
  if (url === undefined && port === 0) {
    throw new Fault(
      "With --cluster and --port 0 nobody could be told where this coordinator is; --url is wanted.",
      USAGE,
    );
  }
  if (url === undefined && /^(0\.0\.0\.0|::)$/.test(listen)) {
    throw new Fault(
      `With --cluster and --listen ${listen} nobody could be told where this coordinator is; --url is wanted.`,
      USAGE,
    );
  }
  const host = listen.includes(":") ? `[${listen}]` : listen;
  const given = url ?? `${tlsCert === undefined ? "http" : "https"}://${host}:${port}`;
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new Fault(`--url is ${given}; an http: or https: URL is wanted.`, USAGE);
  }
  return given.replace(/\/+$/, "");
}
