/**
 * Outcomes as an edge would report them, for tests of the control plane.
 * Invariant: valid messages; what a test doesn't say has a fixed, plausible value.
 */

import type { CaptureFacts, Fetched, Lease, RobotsFetched, Target } from "../../protocol/mod.ts";
import { nativeDigest } from "../../runtime/node.ts";

const utf8 = new TextEncoder();

/** Facts of a capture whose content is `text`, stored at `storageKey`. */
export function captureOf(text: string, storageKey = "edge-1/warc/a.warc.gz"): CaptureFacts {
  const bytes = utf8.encode(text);
  return {
    fetched_at: 1_700_000_000_000,
    record: { storage_key: storageKey, offset: 0, length: bytes.length },
    content_hash: nativeDigest.sha256Hex(bytes),
    payload_digest: `sha1:${nativeDigest.sha1Base32(bytes)}`,
    length: bytes.length,
    wire_length: bytes.length,
    content_type: "text/html",
  };
}

/** The page was fetched with status 200 and links to `outlinks`. */
export function fetched(target: Target, outlinks: readonly string[] = []): Fetched {
  return {
    target_id: target.target_id,
    status: "fetched",
    http_code: 200,
    requests: 1,
    timings: { started_ago_ms: 10, total_ms: 5 },
    capture: captureOf(target.url),
    outlinks,
  };
}

/** robots.txt was fetched; without a body there is none (404). */
export function robots(target: Target, body?: string): RobotsFetched {
  const origin = new URL(target.url).origin;
  const base = { target_id: target.target_id, status: "robots" as const, origin, requests: 1 };
  if (body === undefined) return { ...base, http_code: 404, class: "allow_all" };
  return { ...base, http_code: 200, class: "rules", body, digest: nativeDigest.sha256Hex(utf8.encode(body)) };
}

/** The first target of this kind; a test that has none is wrong. */
export function targetOf(lease: Lease, kind: Target["kind"]): Target {
  const target = lease.targets.find((each) => each.kind === kind);
  if (!target) throw new Error(`The lease of ${lease.host} has no ${kind} target.`);
  return target;
}
