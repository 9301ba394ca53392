/**
 * `outrider warc pack`: a crawl as one WACZ file (WACZ 1.1.1, specs.webrecorder.net), which replay tools open.
 * Invariant: entries are stored, not compressed (WARC and index are read by range); every digest is of the bytes that are
 * in the package; the file appears under its name only when it is whole (E87).
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Buffer } from "node:buffer";
import * as fs from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { Files } from "../runtime/ports.ts";
import { VERSION } from "./version.ts";
import { type SourceParts, waczSources, writeLines, writeSorted } from "./wacz_sources.ts";

export interface PackJob {
  /** Data folders and WARC files. */
  readonly paths: readonly string[];
  readonly out: string;
  readonly title?: string;
  /** Whatever is at `out` is replaced. */
  readonly isForced?: boolean;
  readonly now: Date;
}

export interface Packed {
  readonly warcs: number;
  readonly bytes: number;
}

interface Resource {
  readonly name: string;
  readonly path: string;
  /** `sha256:` and 64 hex digits. */
  readonly hash: string;
  readonly bytes: number;
}

interface Entry {
  /** In the package. */
  readonly path: string;
  /** On the disk. */
  readonly from: string;
}

/** Packs; throws a sentence when a source can't be read, or a file of that name is there and isn't to be replaced. */
export async function packWacz(job: PackJob, parts: SourceParts): Promise<Packed> {
  const { out, now } = job;
  if (job.isForced !== true && await parts.files.size(out) !== undefined) {
    throw new Error(
      `Packing into ${out}: found something of that name, wanted another name, or --force to replace it.`,
    );
  }
  const sources = await waczSources(job.paths, parts);
  const work = { index: `${out}.index.tmp`, pages: `${out}.pages.tmp`, zip: `${out}.tmp` };
  try {
    await writeSorted(parts.files, sources.index(), work.index);
    await writeLines(parts.files, sources.pages(), work.pages);
    const entries: Entry[] = [
      ...sources.warcs.map(({ path, name }) => ({ path: `archive/${name}`, from: path })),
      { path: "indexes/index.cdxj", from: work.index },
      { path: "pages/pages.jsonl", from: work.pages },
    ];
    const resources: Resource[] = [];
    for (const entry of entries) resources.push(await resourceOf(entry));
    const main = await firstPage(parts.files, work.pages);
    await writeZip(work.zip, entries, datapackage({ ...job, resources, main }), now);
    await parts.files.rename(work.zip, out);
    return { warcs: sources.warcs.length, bytes: (await fs.stat(out)).size };
  } finally {
    for (const path of Object.values(work)) await parts.files.remove(path);
  }
}

async function resourceOf({ path, from }: Entry): Promise<Resource> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(from)) {
    hash.update(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
  }
  return { name: path.slice(path.lastIndexOf("/") + 1), path, hash: `sha256:${hash.digest("hex")}`, bytes };
}

interface Page {
  readonly url: string;
  readonly ts: string;
}

async function firstPage(files: Files, path: string): Promise<Page | undefined> {
  const head = new TextDecoder().decode(await files.readRange(path, 0, 64 * 1024));
  const [, line = ""] = head.split("\n");
  return line.endsWith("}") ? JSON.parse(line) as Page : undefined;
}

function datapackage(
  what: PackJob & { readonly resources: readonly Resource[]; readonly main: Page | undefined },
): Uint8Array {
  const { title, now, resources, main } = what;
  const created = `${now.toISOString().slice(0, 19)}Z`;
  return json({
    profile: "data-package",
    wacz_version: "1.1.1",
    software: `Outrider/${VERSION}`,
    created,
    ...(title === undefined ? {} : { title }),
    ...(main === undefined ? {} : { mainPageUrl: main.url, mainPageDate: main.ts }),
    resources,
  });
}

const json = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);

async function writeZip(to: string, entries: readonly Entry[], about: Uint8Array, mtime: Date): Promise<void> {
  const zip = new ZipFile();
  const stored = { compress: false, mtime };
  for (const { path, from } of entries) zip.addFile(from, path, stored);
  const hash = `sha256:${createHash("sha256").update(about).digest("hex")}`;
  zip.addBuffer(buffer(about), "datapackage.json", stored);
  zip.addBuffer(buffer(json({ path: "datapackage.json", hash })), "datapackage-digest.json", stored);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(to));
  const handle = await fs.open(to, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function buffer(bytes: Uint8Array) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
