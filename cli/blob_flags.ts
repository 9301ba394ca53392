/**
 * Flags that name a blob store: a folder, or a bucket of an S3-compatible service whose keys come from the environment.
 * Invariant: what is wrong with them is told before anything is opened; secrets never stand in a flag.
 */

import process from "node:process";
import type { Command } from "commander";
import { isBlobName } from "../runtime/blob_names.ts";
import { systemFiles } from "../runtime/files.ts";
import { folderBlobs } from "../runtime/folder_blobs.ts";
import { systemClock, systemRandom } from "../runtime/node.ts";
import type { SharedBlobs } from "../runtime/ports.ts";
import { s3Blobs } from "../runtime/s3_blobs.ts";
import { Fault, USAGE } from "./fault.ts";
import { folder, number } from "./flags.ts";

/** A store, as plain values: it crosses into threads. */
export interface BlobPlace {
  /** `s3://bucket[/prefix]`, or the path of a folder. */
  readonly url: string;
  /** Origin of the S3 service; absent = Amazon's. */
  readonly endpoint?: string;
}

export interface BlobFlags {
  readonly blobs?: string;
  readonly s3Endpoint?: string;
}

export interface SegmentFlags extends BlobFlags {
  readonly segmentMb: number;
  readonly segmentSeconds: number;
}

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*?))?\/*$/;

export function addBlobFlags(command: Command, purpose: string): Command {
  return command
    .option(
      "--blobs <place>",
      `${purpose}: a folder, or s3://bucket/prefix with keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
      folder,
    )
    .option(
      "--s3-endpoint <url>",
      "the S3-compatible service; default: AWS_ENDPOINT_URL, or Amazon's in the region of AWS_REGION",
    );
}

export function addSegmentFlags(command: Command): Command {
  return addBlobFlags(command, "keep WARC files in a shared store, in segments")
    .option("--segment-mb <n>", "a segment of this size is sent", number({ least: 1, most: 1024 }), 16)
    .option("--segment-seconds <s>", "... and one of this age", number({ least: 1, most: 60 }), 10);
}

/** The store that the flags name; throws a Fault for what no store can be. */
export function blobPlace({ blobs, s3Endpoint }: BlobFlags): BlobPlace | undefined {
  if (blobs === undefined) {
    if (s3Endpoint === undefined) return undefined;
    throw new Fault("--s3-endpoint was given without --blobs; --blobs s3://bucket/prefix is wanted.", USAGE);
  }
  const place = { url: blobs, ...(s3Endpoint === undefined ? {} : { endpoint: endpointOf(s3Endpoint) }) };
  if (isS3(blobs)) {
    s3Place(place);
    credentials();
  } else if (s3Endpoint !== undefined) throw new Fault("--s3-endpoint goes with --blobs s3://bucket/prefix.", USAGE);
  return place;
}

/** Where WARC files go, and when a segment is sent. */
export interface SegmentPlace {
  readonly place: BlobPlace;
  readonly bytes: number;
  readonly ms: number;
}

/** Undefined: into the data folder. */
export function segmentPlace(flags: SegmentFlags): SegmentPlace | undefined {
  const place = blobPlace(flags);
  return place && { place, bytes: flags.segmentMb * 1_000_000, ms: flags.segmentSeconds * 1000 };
}

export function isS3(url: string): boolean {
  return url.startsWith("s3:");
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "") return url.origin;
  throw new Fault(`Reading the S3 endpoint "${text}" failed: an http or https URL without a path is wanted.`, USAGE);
}

/** The variables that Amazon's own tools read. */
function environmentEndpoint(): string | undefined {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const named = AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  return named ? endpointOf(named) : undefined;
}

function s3Place({ url, endpoint }: BlobPlace) {
  const found = S3_URL.exec(url);
  const [, bucket = "", path = ""] = found ?? [];
  if (!found || (path !== "" && !isBlobName(path))) {
    throw new Fault(`Reading --blobs "${url}" failed: s3://bucket or s3://bucket/prefix is wanted.`, USAGE);
  }
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1";
  const prefix = path === "" ? "" : `${path}/`;
  const named = endpoint ?? environmentEndpoint();
  if (named !== undefined) return { endpoint: named, bucket, prefix, region, pathStyle: true };
  return { endpoint: `https://${bucket}.s3.${region}.amazonaws.com`, bucket, prefix, region, pathStyle: false };
}

function credentials() {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new Fault("An S3 store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.", USAGE);
  }
  const keys = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return AWS_SESSION_TOKEN ? { ...keys, sessionToken: AWS_SESSION_TOKEN } : keys;
}

/** Opens nothing yet: a store is met with its first request. */
export function openBlobs(place: BlobPlace): SharedBlobs {
  if (!isS3(place.url)) return folderBlobs(systemFiles, place.url);
  return s3Blobs({ place: s3Place(place), credentials: credentials(), clock: systemClock, random: systemRandom });
}

/** Writes a small object, so that a store that can't be written to is told of before anything is fetched. */
export async function tryBlobs(place: BlobPlace, name: string): Promise<void> {
  const about = { software: "outrider", written_at: new Date(systemClock.wallMs()).toISOString() };
  try {
    await openBlobs(place).put(name, new TextEncoder().encode(`${JSON.stringify(about)}\n`));
  } catch (error) {
    throw error instanceof Fault ? error : new Fault(`Writing to ${place.url} failed. ${(error as Error).message}`);
  }
}
