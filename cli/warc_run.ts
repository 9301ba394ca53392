/**
 * `outrider warc check|ls|cat|index|pack FILE...`: looks into WARC files, ours or others'.
 * Invariant: a bad record stops nothing; the exit code is 0 only when nothing was wrong.
 */

import type { Core } from "../core-wasm/core.ts";
import { checkFile } from "../edge/warc/check_file.ts";
import { holdsHttp, readHttpBlock } from "../edge/warc/payload.ts";
import { readWarc, type WarcRecord } from "../edge/warc/reader.ts";
import { fieldOf } from "../edge/warc/record_parser.ts";
import type { Digest, Gunzip } from "../runtime/ports.ts";
import { plural } from "./progress.ts";
import type { Packed, PackJob } from "./wacz_pack.ts";
import { mustBeFile, warcIndex, warcsOf, type WarcSource } from "./warc_index.ts";

export interface WarcIo {
  readonly files: WarcSource;
  readonly gunzip: Gunzip;
  readonly digest: Digest;
  /** Only `index` and `pack` ask for it. */
  readonly core: () => Promise<Pick<Core, "url">>;
  readonly pack: (job: PackJob, core: Pick<Core, "url">) => Promise<Packed>;
  readonly now: () => Date;
  /** Standard output. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** One line on standard error. */
  readonly note: (line: string) => void;
}

/** `check`, `ls` and `index` take files; `cat` takes one file and, if wanted, the offset of one record in it. */
export const WARC_USAGE = [
  "outrider warc check FOLDER|FILE...    verify every record; one line per problem, exit code 1 when there is one",
  "outrider warc ls FOLDER|FILE...       offset, length, type, status, date and URL of each record, tab-separated",
  "outrider warc cat FILE [OFFSET] [--payload]   records (or their HTTP payloads) as they are stored",
  "outrider warc index FOLDER|FILE... [--all]    CDXJ lines, sorted bytewise; --all: captures of lost leases too",
  "outrider warc pack FOLDER|FILE... --out NAME.wacz [--title TEXT] [--force]   data folders and WARC files as one WACZ file; --force: also in place of one that is there",
  "FOLDER is a data folder, FILE a path; both may be s3://bucket/key, but for pack.",
].join("\n");

const encoder = new TextEncoder();

/** Runs `outrider warc <args>`; resolves to the exit code. */
export async function runWarc(args: readonly string[], io: WarcIo): Promise<number> {
  const [action, ...rest] = args;
  if (rest.length > 0) {
    if (action === "check") return await eachFile(rest, io, checkOne);
    if (action === "ls") return await eachFile(rest, io, listOne);
    if (action === "cat") return await cat(rest, io);
    if (action === "index") return await index(rest, io);
    if (action === "pack") return await pack(rest, io);
  }
  io.note(`Running outrider warc: found ${JSON.stringify(args.join(" "))}, wanted one of:\n${WARC_USAGE}`);
  return 2;
}

type OnFile = (path: string, io: WarcIo) => Promise<boolean>;

async function eachFile(paths: readonly string[], io: WarcIo, onFile: OnFile): Promise<number> {
  let code = 0;
  for (const path of await warcsOf(paths, io.files)) {
    try {
      await mustBeFile(path, io.files);
      if (!await onFile(path, io)) code = 1;
    } catch (error) {
      io.note(error instanceof Error ? error.message : String(error));
      code = 1;
    }
  }
  return code;
}

const print = (io: WarcIo, line: string) => io.write(encoder.encode(line + "\n"));

async function checkOne(path: string, io: WarcIo): Promise<boolean> {
  let problems = 0;
  const steps = checkFile({ ...io, path });
  for (;;) {
    const step = await steps.next();
    if (step.done) {
      io.note(`${path}: ${plural(step.value, "record")}, ${plural(problems, "problem")}.`);
      return problems === 0;
    }
    problems++;
    await print(io, step.value);
  }
}

/** Calls `onRecord` for each record; a fault is noted. False when there was one. */
async function eachRecord(path: string, io: WarcIo, onRecord: (record: WarcRecord) => Promise<void>): Promise<boolean> {
  let whole = true;
  for await (const step of readWarc({ ...io, path })) {
    if ("fault" in step) {
      whole = false;
      io.note(`${path}:${step.offset}: ${step.fault}.`);
    } else await onRecord(step);
  }
  return whole;
}

function listOne(path: string, io: WarcIo): Promise<boolean> {
  return eachRecord(path, io, (record) => {
    const { header } = record;
    const status = holdsHttp(header) ? readHttpBlock(record.block).statusCode : undefined;
    const columns = [
      record.offset,
      record.length,
      fieldOf(header, "WARC-Type") ?? "-",
      status ?? "-",
      fieldOf(header, "WARC-Date") ?? "-",
      fieldOf(header, "WARC-Target-URI") ?? fieldOf(header, "WARC-Filename") ?? "-",
    ];
    return print(io, columns.join("\t"));
  });
}

async function cat(args: readonly string[], io: WarcIo): Promise<number> {
  const payloadOnly = args.includes("--payload");
  const [path, offset, ...more] = args.filter((arg) => arg !== "--payload");
  if (path === undefined || more.length > 0 || (offset !== undefined && !/^\d+$/.test(offset))) {
    io.note(`Running outrider warc cat: found ${JSON.stringify(args.join(" "))}, wanted FILE [OFFSET] [--payload].`);
    return 2;
  }
  let written = 0;
  const code = await eachFile([path], io, () =>
    eachRecord(path, io, async (record) => {
      if (offset !== undefined && record.offset !== Number(offset)) return;
      written++;
      await io.write(payloadOnly ? payloadOf(record) : wholeRecord(record));
    }));
  if (offset !== undefined && written === 0) {
    io.note(`Reading ${path}: found no record at offset ${offset}, wanted an offset that "outrider warc ls" shows.`);
    return 1;
  }
  return code;
}

function payloadOf({ header, block }: WarcRecord): Uint8Array {
  return holdsHttp(header) ? readHttpBlock(block).payload : block;
}

function wholeRecord({ header, block }: WarcRecord): Uint8Array {
  const lines = [header.version, ...header.fields.map(([name, value]) => `${name}: ${value}`)];
  const head = encoder.encode(lines.join("\r\n") + "\r\n\r\n");
  const whole = new Uint8Array(head.length + block.length + 4);
  whole.set(head);
  whole.set(block, head.length);
  whole.set([13, 10, 13, 10], head.length + block.length);
  return whole;
}

async function index(args: readonly string[], io: WarcIo): Promise<number> {
  const paths = args.filter((arg) => arg !== "--all");
  if (paths.length === 0 || paths.some((path) => path.startsWith("--"))) {
    io.note(`Running outrider warc index: found ${JSON.stringify(args.join(" "))}, wanted FOLDER|FILE... [--all].`);
    return 2;
  }
  const job = { paths, all: args.includes("--all"), core: await io.core() };
  const { lines, isWhole } = await warcIndex(job, io);
  for (const line of lines) await print(io, line);
  return isWhole ? 0 : 1;
}

/** Options may stand anywhere, as `--out NAME` or `--out=NAME`. */
async function pack(args: readonly string[], io: WarcIo): Promise<number> {
  const paths: string[] = [];
  const isForced = args.includes("--force");
  const options = new Map<string, string>();
  const words = args.filter((arg) => arg !== "--force").flatMap((arg) =>
    /^--(out|title)=/.test(arg) ? [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)] : [arg]
  );
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if ((word === "--out" || word === "--title") && words[i + 1] !== undefined) options.set(word, words[++i]!);
    else paths.push(word);
  }
  const out = options.get("--out");
  const title = options.get("--title");
  if (out === undefined || paths.length === 0 || paths.some((path) => path.startsWith("--"))) {
    io.note(
      `Running outrider warc pack: found ${
        JSON.stringify(args.join(" "))
      }, wanted FOLDER|FILE... --out NAME.wacz [--title TEXT] [--force].`,
    );
    return 2;
  }
  try {
    const job = { paths, out, isForced, now: io.now(), ...(title === undefined ? {} : { title }) };
    const { warcs, bytes } = await io.pack(job, await io.core());
    io.note(`${out}: ${plural(warcs, "WARC file")}, ${bytes} bytes.`);
    return 0;
  } catch (error) {
    io.note(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
