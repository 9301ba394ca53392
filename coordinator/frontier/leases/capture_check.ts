/**
 * Whether what an edge reports of a capture can be believed as far as it can be checked (promise 12).
 * Invariant: pure; a storage key that passes is a relative path that can't leave its folder.
 */

import type { CaptureFacts, WorkerId } from "../../../protocol/mod.ts";
import type { FrontierSettings } from "../settings.ts";

const KEY_CHARS = 1024;
/** A backslash, a control character, or a segment that is empty, `.` or `..`. */
// deno-lint-ignore no-control-regex
const ASTRAY = /[\\\x00-\x1f]|(?:^|\/)\.{0,2}(?:\/|$)/;

/** A sentence that says what is wrong; undefined = it passes. */
export function captureProblem(
  capture: CaptureFacts | undefined,
  worker: WorkerId,
  settings: FrontierSettings,
): string | undefined {
  if (capture === undefined) return "The report of a fetched page has no capture; wanted one.";
  if (capture.url !== undefined && !/^https?:\/\//.test(capture.url)) return "What was asked for is no http(s) URL.";
  if (capture.refers_to !== undefined && !/^https?:\/\//.test(capture.refers_to.url)) {
    return "What the revisit refers to is no http(s) URL.";
  }
  const { storage_key, offset, length } = capture.record;
  if (!isRelativePath(storage_key)) return `The storage key ${quoted(storage_key)} is no relative path without dots.`;
  if (settings.keysUnderWorker && !storage_key.startsWith(`${worker}/`)) {
    return `The storage key ${quoted(storage_key)} lies outside its worker's folder ${quoted(`${worker}/`)}.`;
  }
  if (!isCount(offset) || !isCount(length)) return "The record's offset and length must be whole numbers from 0.";
  if (!isCount(capture.length) || !isCount(capture.wire_length)) return "Body lengths must be whole numbers from 0.";
  if (!/^[0-9a-f]{64}$/.test(capture.content_hash)) return "The content hash must be 64 lower-case hex digits.";
  return undefined;
}

function isRelativePath(key: string): boolean {
  return key !== "" && key.length <= KEY_CHARS && !ASTRAY.test(key);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 128));
}
