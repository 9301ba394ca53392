/**
 * Gives made inputs to everything that reads WARC files, and holds what it answers against what must always be so: values,
 * in order, within the file, once; no throw, and no more memory or time than the input is worth.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { runWarc } from "../../cli/warc_run.ts";
import { readWarc } from "../../edge/warc/reader.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, nativeGzip, systemClock } from "../../runtime/node.ts";
import { sampleArchive, sampleEntry } from "../support/archives.ts";
import { MemoryFiles } from "../support/memory_files.ts";
import { Chance } from "./chance.ts";
import { warcInput } from "./warc_inputs.ts";

export interface WarcFuzz {
  readonly inputs: number;
  readonly records: number;
  readonly faults: number;
  readonly slowestMs: number;
  readonly mostMb: number;
}

const PATH = "data/warc/x.warc.gz";

/** Files of ours, compressed and plain. */
export async function ourSamples(): Promise<Uint8Array[]> {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const refersTo = { url: "http://a.example/1", fetchedAt: 1, payloadDigest: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
  const text = new TextEncoder().encode("<p>tea and more tea</p>".repeat(100));
  const entries = [{}, { body: text }, { refersTo }, { status: 304, body: new Uint8Array(0), refersTo }];
  for (const [i, entry] of entries.entries()) {
    await archive.append(sampleEntry({ url: `http://a.example/${i}`, ...entry }));
  }
  await archive.close();
  const [path] = files.paths().filter((name) => name.endsWith(".warc.gz"));
  const coded = (await files.read(path!))!;
  const plain: Uint8Array[] = [];
  for (let at = 0; at < coded.length;) {
    const member = nativeGunzip.member(coded.subarray(at), 1 << 24);
    assert.ok(member.state === "whole");
    plain.push(member.data);
    at += member.used;
  }
  const whole = new Uint8Array(plain.reduce((sum, { length }) => sum + length, 0));
  plain.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return [coded, whole, await nativeGzip.compress([whole])];
}

async function readAll(bytes: Uint8Array): Promise<{ records: number; faults: number }> {
  const files = new MemoryFiles();
  await files.writeWhole(PATH, bytes);
  let records = 0;
  let faults = 0;
  let last = -1;
  for await (const step of readWarc({ files, gunzip: nativeGunzip, path: PATH })) {
    const { offset } = step;
    // What is wrong with a record, its end above all, is said at its own place.
    assert.ok(offset >= last && offset <= bytes.length, `${offset} after ${last} in ${bytes.length}`);
    if ("fault" in step) faults++;
    else {
      records++;
      assert.ok(offset > last && step.length > 0 && offset + step.length <= bytes.length + 4);
    }
    last = offset;
  }
  // Each takes at least a byte of its own.
  assert.ok(records + faults <= bytes.length + 1, `${records} records and ${faults} faults of ${bytes.length} bytes`);
  for (const action of ["check", "ls", "index"]) {
    const code = await runWarc([action, PATH], {
      files,
      gunzip: nativeGunzip,
      digest: nativeDigest,
      core: () => Promise.resolve({ url: () => ({ error: "a core that knows no URL" }) }),
      pack: () => Promise.reject(new Error("Nothing is packed here.")),
      now: () => new Date(0),
      write: () => Promise.resolve(),
      note: (line) => assert.ok(!/undefined|NaN|\[object/.test(line), line),
    });
    assert.ok(code === 0 || code === 1, `${action} ended with ${code}`);
  }
  return { records, faults };
}

/** Throws with the input's number where something doesn't hold. */
export async function fuzzWarc(seed: number, inputs: number, samples: readonly Uint8Array[]): Promise<WarcFuzz> {
  const chance = new Chance(seed);
  let [records, faults, slowestMs, mostMb] = [0, 0, 0, 0];
  for (let i = 0; i < inputs; i++) {
    const input = warcInput(chance, samples);
    const begun = systemClock.monotonicMs();
    try {
      const read = await readAll(input);
      records += read.records;
      faults += read.faults;
    } catch (error) {
      throw new Error(`Input ${i} of seed ${seed}, ${input.length} bytes: ${(error as Error).message}`, {
        cause: error,
      });
    }
    slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - begun);
    mostMb = Math.max(mostMb, process.memoryUsage().rss / 1e6);
  }
  return { inputs, records, faults, slowestMs: Math.round(slowestMs), mostMb: Math.round(mostMb) };
}
