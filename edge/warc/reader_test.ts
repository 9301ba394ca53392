import assert from "node:assert/strict";
import fc from "fast-check";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import type { Gunzip } from "../../runtime/ports.ts";
import { nativeGzip } from "../../runtime/node.ts";
import { sampleArchive, sampleEntry } from "../../tests/support/archives.ts";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { walkMembers } from "./member_walk.ts";
import { readWarc } from "./reader.ts";
import { recordParts } from "./record.ts";
import { fieldOf } from "./record_parser.ts";

/** What is read of `bytes`: target or type of each record, `!` for a fault. */
async function read(bytes: Uint8Array): Promise<string[]> {
  const files = new MemoryFiles();
  await files.writeWhole("f", bytes);
  const seen: string[] = [];
  for await (const step of readWarc({ files, gunzip: nativeGunzip, path: "f" })) {
    seen.push(
      "fault" in step ? "!" : fieldOf(step.header, "WARC-Target-URI") ?? fieldOf(step.header, "WARC-Type") ?? "?",
    );
  }
  return seen;
}

async function sample(urls: readonly string[], body?: Uint8Array): Promise<Uint8Array> {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  let path = "";
  for (const url of urls) {
    path = (await archive.append(sampleEntry({ url, ...(body ? { body } : {}) }))).record.storage_key;
  }
  await archive.close();
  return (await files.read(`data/${path}`))!;
}

/** Plain bytes of a compressed file. */
async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const parts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const member = nativeGunzip.member(bytes.subarray(at), 1 << 24);
    assert.ok(member.state === "whole");
    parts.push(...member.data);
    at += member.used;
  }
  return new Uint8Array(parts);
}

const URLS = ["http://a.example/1", "http://a.example/2"];
/** warcinfo, then request, response and metadata of each. */
const ALL = ["warcinfo", ...URLS.flatMap((url) => [url, url, url])];

test("warc reader: compressed and plain give the same records", async () => {
  const bytes = await sample(URLS);
  assert.deepEqual(await read(bytes), ALL);
  assert.deepEqual(await read(await inflate(bytes)), ALL);
});

test("warc reader: goes on behind a broken record", async () => {
  const bytes = await sample(URLS);
  const first = nativeGunzip.member(bytes, 1 << 20);
  assert.ok(first.state === "whole");
  const spoilt = bytes.slice();
  spoilt[first.used + 30]! ^= 0xff;
  assert.deepEqual(await read(spoilt), ["warcinfo", "!", ...ALL.slice(2)]);
  const plain = new TextDecoder().decode(await inflate(bytes));
  const wrong = plain.replace(/Content-Length: \d+\r\n\r\nGET/, "Content-Length: 3\r\n\r\nGET");
  const seen = await read(new TextEncoder().encode(wrong));
  assert.deepEqual(seen, ["warcinfo", URLS[0], "!", ...ALL.slice(2)]);
});

test("warc reader: records that are larger than one read", async () => {
  const body = new Uint8Array(1_500_000).map((_, i) => (i * 2_654_435_761) >>> 24);
  const bytes = await sample(URLS, body);
  assert.deepEqual(await read(bytes), ALL);
  assert.equal((await read(bytes.subarray(0, bytes.length - 1))).at(-1), "!");
});

test("warc reader: any bytes are read to their end without a throw", async () => {
  const whole = await sample(URLS);
  const plain = await inflate(whole);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(whole, plain),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.nat(),
      async (base, changes, cut) => {
        const bytes = base.slice(0, base.length - (cut % 50));
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        assert.ok((await read(bytes)).length > 0);
      },
    ),
    { numRuns: 200 },
  );
  await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
    assert.ok((await read(bytes)).length > 0);
    assert.ok((await read(await nativeGzip.compress([bytes]))).length > 0);
  }));
});

/** Counts what is given to gunzip whole. */
function countingGunzip() {
  const counts = { members: 0, bytes: 0 };
  const gunzip: Gunzip = {
    ...nativeGunzip,
    member: (bytes, maxBytes) => {
      counts.members++;
      counts.bytes += bytes.length;
      return nativeGunzip.member(bytes, maxBytes);
    },
  };
  return { counts, gunzip };
}

test("warc reader: a file full of beginnings of members, each as long as its rest, isn't inflated over and over", async () => {
  // A header, and a stored block of 65,535 bytes: which holds the next header, and so on.
  const unit = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0xff, 0xff, 0, 0];
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => unit[i % unit.length]!);
  const files = new MemoryFiles();
  await files.writeWhole("f", bytes);
  const { counts, gunzip } = countingGunzip();
  const steps = [];
  for await (const step of readWarc({ files, gunzip, path: "f" })) steps.push(step);
  assert.ok(steps.length === 1 && "fault" in steps[0]!);
  assert.ok(counts.members < 10 && counts.bytes < 10 * bytes.length, JSON.stringify(counts));
});

test("warc reader: records that begin within each other are looked through once, and none is given the others' bytes", async () => {
  const header = "WARC/1.1\r\nContent-Length: 150000\r\n\r\n";
  const bytes = new TextEncoder().encode(header.repeat(8000) + "WARC/1.1\r\nX\n".repeat(20_000));
  const files = new MemoryFiles();
  await files.writeWhole("f", bytes);
  let blocks = 0;
  let faults = 0;
  for await (const step of readWarc({ files, gunzip: nativeGunzip, path: "f" })) {
    if ("fault" in step) faults++;
    else blocks += step.block.length;
  }
  assert.ok(faults >= 20_000 && blocks < bytes.length, `${faults} faults, blocks of ${blocks} bytes`);
});

test("reader: a record with a body beyond 64 MB (--max-body-mb) is read wherever it stands", async () => {
  const { member, length } = storedRecord(70_000_000);
  const readRange = (_path: string, offset: number, most: number) =>
    Promise.resolve(member.subarray(offset, offset + most));
  const found: string[] = [];
  for await (const step of walkMembers({ files: { readRange }, gunzip: nativeGunzip, path: "x", from: 0 })) {
    found.push("fault" in step ? step.why : String(step.data.length));
  }
  assert.deepEqual(found, [String(length)]);
});

/** A record of about so many bytes whose body can't be made smaller, as a member. */
function storedRecord(bytes: number): { readonly member: Uint8Array; readonly length: number } {
  const parts = recordParts([["WARC-Type", "response"]], [new Uint8Array(bytes)]);
  const stored = nativeGzip.store(parts);
  const member = new Uint8Array(stored.length);
  stored.writeTo(member, 0);
  return { member, length: parts.reduce((sum, part) => sum + part.length, 0) };
}
