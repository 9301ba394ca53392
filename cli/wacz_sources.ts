/**
 * What of a crawl goes into a WACZ file: WARC files under their own names, one sorted index over them, and the pages.
 * Invariant: an index line names a file of the package; records that the crawl's index doesn't have stay out of it, as
 * their leases were lost.
 */

import type { Core } from "../core-wasm/core.ts";
import { indexLine } from "../edge/warc/index_record.ts";
import { sortLines } from "../edge/warc/line_sort.ts";
import { PAGES_HEADER } from "../edge/warc/pages.ts";
import { holdsHttp, readHttpBlock } from "../edge/warc/payload.ts";
import { readWarc, type WarcRecord } from "../edge/warc/reader.ts";
import { fieldOf } from "../edge/warc/record_parser.ts";
import type { Files, Gunzip } from "../runtime/ports.ts";
import { crawlIndexLines, crawlIndexPath, pageLines } from "./crawl_index.ts";
import { dataPaths } from "./data_folder.ts";
import { warcNamesIn } from "./warc_index.ts";

export interface SourceParts {
  readonly files: Files;
  readonly gunzip: Gunzip;
  readonly core: Pick<Core, "url">;
}

export interface WaczSources {
  readonly warcs: readonly { readonly path: string; readonly name: string }[];
  /** CDXJ lines in any order; sorted they are the index. */
  readonly index: () => AsyncIterable<string>;
  /** Lines of pages.jsonl, the header first. */
  readonly pages: () => AsyncIterable<string>;
}

const WARC_NAME = /\.warc(\.gz)?$/;
const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The sources of data folders and WARC files. Throws a sentence when one is neither, or two have one name. */
export async function waczSources(paths: readonly string[], parts: SourceParts): Promise<WaczSources> {
  const { files } = parts;
  const folders: { path: string; index: string }[] = [];
  const single: string[] = [];
  const warcs: { path: string; name: string }[] = [];
  for (const path of paths.map((one) => one.replace(/(?<=.)\/+$/, ""))) {
    if (WARC_NAME.test(path) && await files.size(path) !== undefined) {
      single.push(path);
      continue;
    }
    const names = await warcNamesIn(path, files);
    if (names.length === 0) {
      throw new Error(
        `Packing ${path}: found neither a data folder with WARC files nor a .warc or .warc.gz file; one of them is wanted.`,
      );
    }
    const index = await crawlIndexPath(files, path);
    if (index !== undefined) {
      folders.push({ path, index });
      for (const name of names) warcs.push({ path: `${path}/warc/${name}`, name });
    } else single.push(...names.map((name) => `${path}/warc/${name}`));
  }
  for (const path of single) warcs.push({ path, name: baseName(path) });
  const names = new Set<string>();
  const twice = warcs.find(({ name }) => names.size === names.add(name).size);
  if (twice !== undefined) {
    throw new Error(
      `Packing ${twice.path}: another file is called ${twice.name} too; files of different names are wanted.`,
    );
  }
  return {
    warcs,
    index: async function* () {
      for (const { index } of folders) yield* folderIndex(files, index);
      for (const path of single) yield* fileIndex(parts, path);
    },
    pages: async function* () {
      yield PAGES_HEADER;
      for (const { path } of folders) {
        for await (const line of pageLines(files, dataPaths(path).pages)) if (line !== PAGES_HEADER) yield line;
      }
      for (const path of single) yield* filePages(parts, path);
    },
  };
}

/** The crawl's own lines, each naming its file as the package does. */
async function* folderIndex(files: Files, path: string): AsyncIterable<string> {
  for await (const { line, filename } of crawlIndexLines(files, path)) {
    const name = baseName(filename);
    yield name === filename ? line : line.replace(
      `"filename":${JSON.stringify(filename)}`,
      `"filename":${JSON.stringify(name)}`,
    );
  }
}

async function* records({ files, gunzip }: SourceParts, path: string): AsyncIterable<WarcRecord> {
  for await (const step of readWarc({ files, gunzip, path })) {
    if ("fault" in step) {
      throw new Error(`Packing ${path}: at byte ${step.offset} ${step.fault}; a whole file is wanted.`);
    }
    yield step;
  }
}

async function* fileIndex(parts: SourceParts, path: string): AsyncIterable<string> {
  const surt = (url: string) => {
    const facts = parts.core.url(url);
    return "error" in facts || facts.surt === "" ? url : facts.surt;
  };
  for await (const record of records(parts, path)) {
    const line = indexLine(record, { filename: baseName(path), surt });
    if (line !== undefined) yield line;
  }
}

/** HTML answers with status 200 are pages. */
async function* filePages(parts: SourceParts, path: string): AsyncIterable<string> {
  let count = 0;
  for await (const { header, block } of records(parts, path)) {
    if (fieldOf(header, "WARC-Type") !== "response" || !holdsHttp(header)) continue;
    const { statusCode, fields } = readHttpBlock(block);
    const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
    if (statusCode !== 200 || !/html/i.test(type)) continue;
    const url = fieldOf(header, "WARC-Target-URI")?.replace(/^<(.*)>$/, "$1");
    yield JSON.stringify({ id: `${baseName(path)}-${++count}`, url, ts: fieldOf(header, "WARC-Date") });
  }
}

/** Writes the lines to `to`, sorted bytewise, in bounded memory. */
export async function writeSorted(files: Files, lines: AsyncIterable<string>, to: string): Promise<void> {
  const loose = `${to}.loose`;
  await writeLines(files, lines, loose);
  await sortLines({ files, from: loose, to, chunkBytes: 32 * 1024 * 1024 });
  await files.remove(loose);
}

const BLOCK_CHARS = 1024 * 1024;

export async function writeLines(files: Files, lines: AsyncIterable<string>, to: string): Promise<void> {
  await files.remove(to);
  const file = await files.openAppend(to);
  const encoder = new TextEncoder();
  try {
    let block = "";
    for await (const line of lines) {
      block += `${line}\n`;
      if (block.length < BLOCK_CHARS) continue;
      await file.append(encoder.encode(block));
      block = "";
    }
    await file.append(encoder.encode(block));
    await file.sync();
  } finally {
    await file.close();
  }
}
