/**
 * `outrider warc index`: CDXJ lines of data folders and WARC files.
 * Invariant: of a crawl's own files only what its frontier acknowledged is listed, as captures of lost leases are nobody's
 * answer; `--all` lists every record. Files that lie in no data folder are listed whole.
 * Invariant: a file that the crawl's own index names is named as there, whatever path it was given by, so that the lines
 * can take that index' place.
 */

import type { Core } from "../core-wasm/core.ts";
import { indexLine } from "../edge/warc/index_record.ts";
import { readWarc } from "../edge/warc/reader.ts";
import { troubleCode } from "../runtime/file_errors.ts";
import type { Files, Gunzip } from "../runtime/ports.ts";
import { crawlIndexLines, crawlIndexPath } from "./crawl_index.ts";

export interface IndexIo {
  readonly files: WarcSource;
  readonly gunzip: Gunzip;
  readonly note: (line: string) => void;
}

/** Where WARC files are read from. */
export interface WarcSource extends Pick<Files, "readRange" | "list" | "size"> {
  /** What is at the path when it is no file, e.g. "a device"; undefined also where nothing is. Absent: all are files. */
  oddity?(path: string): Promise<string | undefined>;
}

/** Throws a sentence when there is something else than a file. */
export async function mustBeFile(path: string, files: WarcSource): Promise<void> {
  const found = await files.oddity?.(path);
  if (found !== undefined) throw new Error(`Reading ${path}: found ${found}, wanted a data folder or a WARC file.`);
}

export interface IndexJob {
  readonly paths: readonly string[];
  readonly all: boolean;
  readonly core: Pick<Core, "url">;
}

/** Lines that are sorted in memory. */
const MAX_LINES = 2_000_000;
const WARC_NAME = /\.warc(\.gz)?$/;

/** What a crawl's own index has of a file: its name there, and where its acknowledged records begin. */
interface Known {
  readonly filename: string;
  readonly offsets: Set<number>;
}

const NONE: ReadonlySet<number> = new Set();

/** The lines, sorted bytewise, and whether all was well: what is wrong with a file is noted, and stops no other. */
export async function warcIndex(job: IndexJob, io: IndexIo): Promise<{ lines: string[]; isWhole: boolean }> {
  const lines: string[] = [];
  let isWhole = true;
  const known = new Map<string, Promise<ReadonlyMap<string, Known> | undefined>>();
  for (const path of await warcsOf(job.paths, io.files)) {
    try {
      await mustBeFile(path, io.files);
      const folder = crawlFolder(path);
      if (!known.has(folder)) known.set(folder, acknowledged(io, folder));
      const index = await known.get(folder);
      const { filename = path, offsets = NONE } = index?.get(baseName(path)) ?? {};
      const wanted = job.all || index === undefined ? undefined : offsets;
      isWhole = await addLines(lines, { path, filename, offsets: wanted, core: job.core }, io) && isWhole;
    } catch (error) {
      io.note(error instanceof Error ? error.message : String(error));
      isWhole = false;
    }
  }
  lines.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return { lines, isWhole };
}

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The data folder that a file of its `warc/` lies in. */
function crawlFolder(path: string): string {
  const [, ...upwards] = path.split("/").reverse();
  return upwards[0] === "warc" ? upwards.slice(1).reverse().join("/") || "." : "";
}

/** The WARC files of a data folder; none where the path leads to a file, whatever it is called. */
export async function warcNamesIn(path: string, files: Pick<Files, "list">): Promise<string[]> {
  try {
    return (await files.list(`${path}/warc`)).filter((name) => WARC_NAME.test(name));
  } catch (error) {
    if (troubleCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** The paths, with the WARC files of a data folder in its place. */
export async function warcsOf(paths: readonly string[], files: Pick<Files, "list">): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths.map((one) => one.replace(/(?<=.)\/+$/, ""))) {
    const names = WARC_NAME.test(path) ? [] : await warcNamesIn(path, files);
    if (names.length > 0) found.push(...names.map((name) => `${path}/warc/${name}`));
    else found.push(path);
  }
  return found;
}

/** What the crawl's own index has, by file; undefined where there is no such index. */
async function acknowledged({ files }: IndexIo, folder: string): Promise<Map<string, Known> | undefined> {
  const path = folder === "" ? undefined : await crawlIndexPath(files, folder);
  if (path === undefined) return undefined;
  const known = new Map<string, Known>();
  for await (const { filename, offset } of crawlIndexLines(files, path)) {
    const name = baseName(filename);
    const ofFile = known.get(name) ?? { filename, offsets: new Set() };
    known.set(name, ofFile);
    ofFile.offsets.add(offset);
  }
  return known;
}

interface OneFile {
  readonly path: string;
  /** What the lines call it. */
  readonly filename: string;
  /** Absent: every record. */
  readonly offsets: ReadonlySet<number> | undefined;
  readonly core: Pick<Core, "url">;
}

async function addLines(lines: string[], { path, filename, offsets, core }: OneFile, io: IndexIo): Promise<boolean> {
  const surt = (url: string) => {
    const facts = core.url(url);
    return "error" in facts || facts.surt === "" ? url : facts.surt;
  };
  let isWhole = true;
  for await (const step of readWarc({ ...io, path })) {
    if ("fault" in step) {
      isWhole = false;
      io.note(`${path}:${step.offset}: ${step.fault}.`);
      continue;
    }
    if (offsets !== undefined && !offsets.has(step.offset)) continue;
    const line = indexLine(step, { filename, surt });
    if (line !== undefined) lines.push(line);
    if (lines.length > MAX_LINES) {
      throw new Error(`Indexing ${path}: found more than ${MAX_LINES} records, wanted fewer files at a time.`);
    }
  }
  return isWhole;
}
