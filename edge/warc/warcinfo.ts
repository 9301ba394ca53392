/**
 * The record that opens every file (ISO 28500 6.2): who crawled, with what, by which rules.
 * Invariant: its block is `application/warc-fields`, one field a line; a file without it is never written to.
 */

import type { Digest } from "../../runtime/ports.ts";
import { recordParts } from "./record.ts";
import { recordId } from "./record_id.ts";
import { isoDate } from "./timestamp.ts";

/** What is the same for every file of a run. */
export interface CrawlInfo {
  /** e.g. `outrider/0.1.0`. */
  readonly software: string;
  readonly userAgent: string;
  /** How to reach the operator: URL or mail address. */
  readonly contact?: string | undefined;
  /** What obeying robots.txt means here, e.g. `RFC 9309`. */
  readonly robots: string;
  /** Build hash and keyVersion of the core that scanned and fingerprinted. */
  readonly coreBuildHash: string;
  readonly keyVersion: number;
  /** The crawl, or the worker's region: free text. */
  readonly description?: string | undefined;
}

const CONFORMS_TO = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

function infoBlock(info: CrawlInfo): Uint8Array {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["software", info.software],
    ["format", "WARC File Format 1.1"],
    ["conformsTo", CONFORMS_TO],
    ["robots", info.robots],
    ["http-header-user-agent", info.userAgent],
    ["operator", info.contact],
    ["description", info.description],
    ["outrider-core", info.coreBuildHash],
    ["outrider-key-version", String(info.keyVersion)],
  ];
  let text = "";
  for (const [name, value] of fields) {
    // deno-lint-ignore no-control-regex
    if (value !== undefined && value !== "") text += `${name}: ${value.replaceAll(/[\0-\x1f\x7f]+/g, " ")}\r\n`;
  }
  return new TextEncoder().encode(text);
}

/** The parts of the warcinfo record of the file `storageKey`, created at `createdMs` (wall clock). */
export function warcinfoParts(
  info: CrawlInfo,
  file: { readonly storageKey: string; readonly createdMs: number },
  digest: Digest,
): Uint8Array[] {
  const block = infoBlock(info);
  return recordParts([
    ["WARC-Type", "warcinfo"],
    ["WARC-Record-ID", recordId(`warcinfo/${file.storageKey}`, digest)],
    ["WARC-Date", isoDate(file.createdMs)],
    ["WARC-Filename", file.storageKey.slice(file.storageKey.lastIndexOf("/") + 1)],
    ["WARC-Block-Digest", `sha1:${digest.sha1Base32(block)}`],
    ["Content-Type", "application/warc-fields"],
  ], [block]);
}
