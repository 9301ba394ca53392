/**
 * Judges of what a crawl left behind: every index line points at its record, pages.jsonl is whole and without repeats.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export interface PageLine {
  readonly url: string;
  readonly status: number;
  readonly seq: number;
  readonly storage_key: string;
  readonly offset: number;
  readonly length: number;
}

/** The lines of pages.jsonl behind its header. */
export function pagesOf(folder: string): PageLine[] {
  const [header, ...lines] = readFileSync(join(folder, "pages.jsonl"), "utf8").split("\n").filter((line) =>
    line !== ""
  );
  assert.ok(header !== undefined, `${folder} has no line in pages.jsonl, where its header was wanted`);
  assert.equal(JSON.parse(header).format, "json-pages-1.0");
  return lines.map((line) => JSON.parse(line));
}

export function cdxjOf(folder: string): { surt: string; timestamp: string; fields: Record<string, string> }[] {
  const lines = readFileSync(join(folder, "index.cdxj"), "utf8").split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [surt, timestamp] = line.split(" ", 2);
    return { surt: surt!, timestamp: timestamp!, fields: JSON.parse(line.slice(surt!.length + timestamp!.length + 2)) };
  });
}

const field = (head: string, name: string) => new RegExp(`^${name}: (.*?)\r?$`, "m").exec(head)?.[1];

/**
 * Every line's offset and length are exactly one gzip member: the response record of its URL, or a revisit that refers
 * to a response of the index.
 */
export function checkIndex(folder: string): number {
  const files = new Map<string, Uint8Array>();
  const index = cdxjOf(folder);
  const responses = new Set<string>();
  const referred: string[] = [];
  for (const { fields } of index) {
    const { filename, offset, length, url, digest } = fields as {
      filename: string;
      offset: string;
      length: string;
      url: string;
      digest: string;
    };
    const path = join(folder, "warc", filename.replace(/^.*\//, ""));
    if (!files.has(path)) files.set(path, readFileSync(path));
    const member = files.get(path)!.subarray(Number(offset), Number(offset) + Number(length));
    const record = gunzipSync(member).toString("latin1");
    const head = record.slice(0, record.indexOf("\r\n\r\n"));
    assert.match(head, /^WARC\/1\.1\r\n/, `${url} at ${offset}`);
    const type = field(head, "WARC-Type");
    const place = [field(head, "WARC-Target-URI"), field(head, "WARC-Date"), digest].join(" ");
    assert.equal(type, fields.mime === "warc/revisit" ? "revisit" : "response");
    if (type === "response") responses.add(place);
    else {referred.push(
        [field(head, "WARC-Refers-To-Target-URI"), field(head, "WARC-Refers-To-Date"), digest].join(" "),
      );}
    assert.ok(head.includes(`WARC-Target-URI: ${url}`), `${url} isn't the target of ${head}`);
    assert.ok(head.includes(digest.replace(/^sha1:/, "")), `${url}: digest ${digest} isn't in ${head}`);
  }
  for (const place of referred) assert.ok(responses.has(place), `no response of the index is ${place}`);
  const keys = readFileSync(join(folder, "index.cdxj")).toString("latin1").split("\n").slice(0, -1);
  assert.deepEqual(keys, [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)), "the index is sorted bytewise");
  return index.length;
}

/** Of an edge: it was given nothing to do, or robots.txt alone, so its pages.jsonl hasn't even a header. */
export function archivedNoPage(folder: string): boolean {
  if (!existsSync(join(folder, "warc"))) return true;
  const text = warcFiles(folder).map((path) => gunzipSync(readFileSync(path)).toString("latin1")).join("");
  return [...text.matchAll(/^WARC-Target-URI: (\S+)/gm)].every(([, url]) => url!.endsWith("/robots.txt"));
}

/** Paths of the WARC files. */
export function warcFiles(folder: string): string[] {
  return readdirSync(join(folder, "warc")).filter((name) => name.endsWith(".warc.gz")).map((name) =>
    join(folder, "warc", name)
  );
}

/** No URL stands twice among the pages, no seq either. */
export function checkPages(folder: string): PageLine[] {
  const pages = pagesOf(folder);
  assert.equal(new Set(pages.map((page) => page.url)).size, pages.length, "a page stands twice in pages.jsonl");
  return pages;
}
