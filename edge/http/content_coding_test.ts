import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import { wholeGzip } from "../../runtime/whole_gzip.ts";
import { test } from "../../tests/support/test.ts";
import { contentCodings, decodeBody, type Decoded } from "./content_coding.ts";
import { zstdFrames } from "./zstd_frames.ts";

const CAP = 10_000_000;
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Text that compresses badly enough to make streams of several blocks. */
function pageOf(lines: number): Uint8Array {
  let state = 1;
  const words = Array.from({ length: lines }, (_, i) => {
    state = (state * 48271) % 0x7fffffff;
    return `line ${i} ${state.toString(36)} ${(state * 7).toString(36)}\n`;
  });
  return encode(words.join(""));
}

const CODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "gzip": (bytes) => zlib.gzipSync(bytes),
  "x-gzip": (bytes) => zlib.gzipSync(bytes),
  "deflate": (bytes) => zlib.deflateSync(bytes),
  "br": (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  "zstd": (bytes) => zlib.zstdCompressSync(bytes),
};

/** By zlib alone, and again with the quicker way for whole gzip bodies, which must change nothing. */
async function undo(body: Uint8Array, codings: string[], capBytes = CAP): Promise<Decoded> {
  const decoded = await decodeBody(body, codings, capBytes);
  if (body.length < 64 * 1024) assert.deepEqual(await decodeBody(body, codings, capBytes, wholeGzip), decoded);
  return decoded;
}

function isPrefix(part: Uint8Array, whole: Uint8Array): boolean {
  return part.length <= whole.length && part.every((byte, i) => byte === whole[i]);
}

const SMALL = pageOf(200);
const LARGE = pageOf(40_000);

test("codings are read from all headers, in order, without case", () => {
  const headers: [string, string][] = [["Content-Encoding", "GZip , identity"], ["content-encoding", ", br"]];
  assert.deepEqual(contentCodings([["Content-Type", "gzip"], ...headers]), ["gzip", "br"]);
  assert.deepEqual(contentCodings([]), []);
});

test("every coding is undone, small and large, and raw deflate too", async () => {
  for (const page of [SMALL, LARGE]) {
    for (const [coding, code] of Object.entries(CODERS)) {
      assert.deepEqual(await undo(code(page), [coding]), { bytes: page, capped: false }, coding);
    }
    assert.deepEqual(await undo(zlib.deflateRawSync(page), ["deflate"]), { bytes: page, capped: false });
  }
});

test("no coding and an empty body are left as they are", async () => {
  assert.deepEqual(await undo(SMALL, []), { bytes: SMALL, capped: false });
  for (const coding of Object.keys(CODERS)) {
    assert.deepEqual(await undo(new Uint8Array(0), [coding]), { bytes: new Uint8Array(0), capped: false }, coding);
  }
});

test("stacked codings are undone from the last to the first", async () => {
  for (const first of ["gzip", "br", "zstd"]) {
    for (const second of ["gzip", "deflate", "zstd"]) {
      const body = CODERS[second]!(CODERS[first]!(SMALL));
      assert.deepEqual(await undo(body, [first, second]), { bytes: SMALL, capped: false }, `${first}, ${second}`);
    }
  }
  const deep = await undo(SMALL, Array<string>(5).fill("gzip"));
  assert.ok(deep.problem?.includes("5 times"));
});

test("a body exactly at the cap is whole; one byte more is cut there and said", async () => {
  for (const page of [SMALL, LARGE]) {
    for (const [coding, code] of Object.entries(CODERS)) {
      const body = code(page);
      assert.deepEqual(await undo(body, [coding], page.length), { bytes: page, capped: false }, coding);
      const cut = await undo(body, [coding], page.length - 1);
      assert.equal(cut.capped, true, coding);
      assert.equal(cut.bytes.length, page.length - 1, coding);
      assert.match(cut.problem!, /stopped at the limit/, coding);
      assert.ok(isPrefix(cut.bytes, page), coding);
    }
    assert.deepEqual(await undo(page, [], page.length), { bytes: page, capped: false });
    assert.equal((await undo(page, [], page.length - 1)).capped, true);
  }
});

test("a cut body gives what it holds, and never counts as whole", async () => {
  for (const page of [SMALL, LARGE]) {
    for (const [coding, code] of Object.entries(CODERS)) {
      const body = code(page);
      for (const length of [1, body.length >> 1, body.length - 10, body.length - 1]) {
        const cut = await undo(body.subarray(0, length), [coding]);
        const what = `${coding} ${length} of ${body.length}`;
        assert.ok(cut.problem !== undefined, what);
        if (length > 8) assert.ok(isPrefix(cut.bytes, page), what);
      }
      const half = await undo(body.subarray(0, body.length >> 1), [coding]);
      // zstd gives whole blocks only, and the small page is one block.
      if (coding !== "zstd" || page === LARGE) assert.ok(half.bytes.length > page.length / 4, coding);
    }
  }
});

test("a wrong checksum costs nothing of the content, but is said", async () => {
  for (const [coding, back] of [["gzip", 6], ["deflate", 2]] as const) {
    for (const page of [SMALL, LARGE]) {
      const body = Uint8Array.from(CODERS[coding]!(page));
      body[body.length - back]! ^= 0x55;
      const { bytes, problem } = await undo(body, [coding]);
      assert.deepEqual(bytes, page, coding);
      assert.match(problem!, /corrupt/, coding);
    }
  }
});

test("corrupt data in the middle keep the prefix before them", async () => {
  for (const coding of ["gzip", "deflate"]) {
    const body = Uint8Array.from(CODERS[coding]!(LARGE));
    body.fill(0xff, body.length >> 1, (body.length >> 1) + 64);
    const { bytes, problem } = await undo(body, [coding]);
    assert.ok(problem !== undefined, coding);
    assert.ok(isPrefix(LARGE.subarray(0, LARGE.length >> 2), bytes), coding);
  }
});

test("a large corrupt body is decoded a bounded number of times and keeps nearly all that is sound", async () => {
  const page = pageOf(250_000);
  const body = Uint8Array.from(zlib.gzipSync(page, { level: 1 }));
  body[body.length - 6]! ^= 0x55;
  const { bytes, problem } = await undo(body, ["gzip"]);
  assert.match(problem!, /corrupt/);
  assert.ok(bytes.length > page.length - 600_000 && bytes.length <= page.length, `${bytes.length} of ${page.length}`);
  assert.ok(isPrefix(bytes, page));
});

test("a zstd frame with an impossible block keeps the frames before it", async () => {
  const sound = CODERS.zstd!(LARGE);
  // One last block of the reserved type 3, 16 bytes.
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x87, 0x00, 0x00, ...new Uint8Array(16)];
  const { bytes, problem } = await undo(Uint8Array.from([...sound, ...frame]), ["zstd"]);
  assert.deepEqual(bytes, LARGE);
  assert.ok(problem !== undefined);
});

test("a corrupt zstd block in the middle is an outcome, not an uncaught error", async () => {
  const body = Uint8Array.from(CODERS.zstd!(LARGE));
  const [frame] = zstdFrames(body);
  body.fill(0xff, frame!.end >> 1, (frame!.end >> 1) + 3000);
  const { bytes } = await undo(body, ["zstd"]);
  assert.ok(isPrefix(LARGE.subarray(0, 100_000), bytes));
});

test("bytes after a complete stream are dropped, as browsers do", async () => {
  for (const [coding, code] of Object.entries(CODERS)) {
    const body = Uint8Array.from([...code(SMALL), ...encode("garbage")]);
    assert.deepEqual(await undo(body, [coding]), { bytes: SMALL, capped: false }, coding);
  }
});

test("several gzip members or zstd frames are one body", async () => {
  for (const coding of ["gzip", "zstd"]) {
    const twice = Uint8Array.from([...CODERS[coding]!(SMALL), ...CODERS[coding]!(SMALL)]);
    assert.equal(decode((await undo(twice, [coding])).bytes), decode(SMALL) + decode(SMALL), coding);
  }
  const skippable = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
  const mixed = Uint8Array.from([...skippable, ...CODERS.zstd!(SMALL), ...skippable]);
  assert.deepEqual(await undo(mixed, ["zstd"]), { bytes: SMALL, capped: false });
});

test("a body that isn't what the header says, and an unknown coding, are kept as they came", async () => {
  for (const coding of ["gzip", "zstd", "compress", "utf-8"]) {
    const { bytes, problem } = await undo(SMALL, [coding]);
    assert.deepEqual(bytes, SMALL, coding);
    assert.match(problem!, /kept as it came/, coding);
  }
  for (const coding of ["deflate", "br"]) assert.ok((await undo(SMALL, [coding])).problem !== undefined, coding);
});

test("E66: bombs stop at the cap: gzip, brotli, zstd, and gzip in gzip", async () => {
  const zeros = new Uint8Array(200_000_000);
  const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
  const gzip = zlib.gzipSync(zeros, { level: 1 });
  const bombs: [Uint8Array, string[]][] = [
    [gzip, ["gzip"]],
    [zlib.brotliCompressSync(zeros, quality), ["br"]],
    [zlib.zstdCompressSync(zeros), ["zstd"]],
    [zlib.gzipSync(gzip), ["gzip", "gzip"]],
  ];
  for (const [bomb, codings] of bombs) {
    const { bytes, capped } = await undo(bomb, codings, 1_000_000);
    assert.deepEqual([bytes.length, capped], [1_000_000, true], codings.join());
    assert.ok(bytes.buffer.byteLength < 4_000_000, `${codings.join()} holds on to ${bytes.buffer.byteLength} bytes`);
  }
});

test("a zstd frame that asks for a huge window is not decoded", async () => {
  // Window descriptor 0xb0: 2^(10 + 22) bytes; one empty raw block.
  const body = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xb0, 0x01, 0x00, 0x00]);
  const { bytes, problem } = await undo(body, ["zstd"]);
  assert.equal(bytes.length, 0);
  assert.match(problem!, /window of 4294967296 bytes/);
});

test("zstd frames are found without decoding, and a cut one is known as such", () => {
  const one = CODERS.zstd!(LARGE);
  const two = Uint8Array.from([...one, ...CODERS.zstd!(SMALL)]);
  // Deno's encoder ends a large input with an empty frame of its own.
  const frames = zstdFrames(two);
  assert.ok(frames.every(({ complete, start }, i) => complete && start === (frames[i - 1]?.end ?? 0)));
  assert.ok(frames.some(({ end }) => end === one.length));
  assert.equal(frames.at(-1)!.end, two.length);
  for (const length of [4, 5, 10, one.length - 1]) {
    assert.equal(zstdFrames(one.subarray(0, length)).at(-1)!.complete, false, String(length));
  }
  assert.deepEqual(zstdFrames(SMALL), []);
});
