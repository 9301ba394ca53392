/** What we write, read by others: warcio for JavaScript and Python, and the rules of the validators. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { WARCParser } from "warcio";
import { checkFile } from "../../edge/warc/check_file.ts";
import { readHttpBlock } from "../../edge/warc/payload.ts";
import { readWarc, type WarcRecord } from "../../edge/warc/reader.ts";
import { fieldOf } from "../../edge/warc/record_parser.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, nativeGzip } from "../../runtime/node.ts";
import { FETCHED_AT, sampleArchive, sampleEntry } from "../support/archives.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const encoder = new TextEncoder();
const page = encoder.encode("<p>tea</p>");

/** A capture that later ones refer to. */
const EARLIER = {
  url: "http://a.example/text",
  fetchedAt: FETCHED_AT - 1000,
  payloadDigest: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  captureName: "lease/1/http://a.example/text/0",
};

const noise = (length: number) => new Uint8Array(length).map((_, i) => Math.imul(i + 1, 2_654_435_761) >>> 24);

/** Exchanges as they come, and as somebody would craft them. */
const EXCHANGES: readonly Parameters<typeof sampleEntry>[0][] = [
  { url: "http://a.example/plain" },
  {
    url: "http://a.example/chunked",
    body: page,
    headers: [["transfer-encoding", "chunked"], ["X-A", "1"], ["x-a", "2"]],
  },
  { url: "http://a.example/wrong-length", body: page, headers: [["Content-length", "999"], ["Server", "x"]] },
  { url: "http://a.example/two-lengths", body: page, headers: [["Content-Length", "10"], ["Content-Length", "10"]] },
  { url: "http://a.example/not-modified", status: 304, reason: "Not Modified", body: new Uint8Array(0) },
  { url: "http://a.example/cut", body: page, truncated: "length", headers: [["Content-Length", "50000"]] },
  {
    url: "https://a.example/h2",
    httpVersion: "2",
    tlsVersion: "TLSv1.3",
    reason: "",
    body: page,
    remoteAddress: "[2001:db8::1]",
  },
  { url: "http://a.example/unchanged", status: 304, reason: "Not Modified", body: noise(0), refersTo: EARLIER },
  { url: "http://a.example/same", body: page, refersTo: EARLIER, headers: [["Transfer-Encoding", "chunked"]] },
  {
    url: "http://a.example/scanned",
    body: page,
    facts: { charset: "utf-8", simhash: "0123456789abcdef", outlinks: 7 },
    timings: { startedAt: 1, totalMs: 12.6, firstByteMs: 3, connectMs: 1.2 },
    decodeProblem: "odd\r\nWARC-Type: x",
  },
  { url: "http://a.example/bytes", body: page, headers: [["X-Odd", "caf\u00e9 \u0080\u00ff"], ["X-Empty", ""]] },
  {
    url: "http://a.example/inject",
    reason: "OK\r\n\r\nx",
    headers: [["X-A", "1\r\n\r\nWARC/1.1\nX: 2\r"], ["A: b\r\nC", "d"]],
  },
  { url: "http://a.example/binary#part", body: new Uint8Array(70_000).map((_, i) => (i * i) & 255) },
  { url: "http://a.example/text", body: encoder.encode("<p>tea and more tea</p>".repeat(400)) },
  { url: "http://a.example/image", body: noise(3000), headers: [["Content-Type", "image/png"]] },
  // As coded bodies arrive: stored, over several blocks of the member and at a block's end.
  { url: "http://a.example/coded-140000", body: noise(140_000), decoded: new Uint8Array(500_000) },
  { url: "http://a.example/coded-65535", body: noise(65_535), decoded: new Uint8Array(500_000) },
  { url: "http://a.example/warc-in-warc", body: encoder.encode("WARC/1.1\r\nWARC-Type: response\r\n\r\n\r\n\r\n") },
];

async function withSample(use: (path: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  try {
    const archive = await sampleArchive({ files: systemFiles, folder: folder.path });
    const coded = await nativeGzip.compress([page]);
    const exchanges = [...EXCHANGES, {
      url: "http://a.example/coded",
      body: coded,
      decoded: page,
      headers: [["Content-Encoding", "gzip"], ["Transfer-Encoding", "chunked"]] as const,
    }];
    const done = await Promise.all(exchanges.map((exchange) => archive.append(sampleEntry(exchange))));
    await archive.close();
    await use(`${folder.path}/${done[0]!.record.storage_key}`);
  } finally {
    await folder.remove();
  }
}

async function recordsOf(path: string): Promise<WarcRecord[]> {
  const records: WarcRecord[] = [];
  for await (const step of readWarc({ files: systemFiles, gunzip: nativeGunzip, path })) {
    assert.ok("header" in step, "fault" in step ? step.fault : "");
    records.push(step);
  }
  return records;
}

const headOf = (record: WarcRecord) => {
  const { payload } = readHttpBlock(record.block);
  return String.fromCharCode(...record.block.subarray(0, record.block.length - payload.length));
};

test("warc output: our own check finds nothing wrong", () =>
  withSample(async (path) => {
    const steps = checkFile({ files: systemFiles, gunzip: nativeGunzip, digest: nativeDigest, path });
    const step = await steps.next();
    assert.ok(step.done, String(step.value));
    assert.equal(step.value, 1 + 3 * (EXCHANGES.length + 1));
  }));

test("warc output: warcio for JavaScript reads every record with its payload", () =>
  withSample(async (path) => {
    const bytes = new Uint8Array(readFileSync(path));
    const parser = new WARCParser([bytes][Symbol.iterator]() as never, { keepHeadersCase: true });
    const ours = await recordsOf(path);
    let count = 0;
    for await (const record of parser) {
      const mine = ours[count++]!;
      assert.equal(record.warcType, fieldOf(mine.header, "WARC-Type"));
      assert.equal(record.warcTargetURI ?? undefined, fieldOf(mine.header, "WARC-Target-URI"));
      if (record.warcType === "response") {
        const payload = await record.readFully(false);
        assert.deepEqual(
          new Uint8Array(payload),
          new Uint8Array(readHttpBlock(mine.block).payload),
          record.warcTargetURI!,
        );
      } else for await (const _ of record) { /* to the next record */ }
    }
    assert.equal(count, ours.length);
  }));

const python = spawnSync("python3", ["-c", "import warcio"]);
const NO_WARCIO = python.status === 0 ? undefined : "python3 with the package warcio isn't there";

test("warc output: warcio check for Python passes", () =>
  withSample((path) => {
    const checked = spawnSync("python3", ["-c", "from warcio.cli import main; main()", "check", "-v", path], {
      encoding: "utf8",
    });
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
    assert.ok(!/no digest to check/.test(checked.stdout), checked.stdout);
    return Promise.resolve();
  }), { skip: NO_WARCIO });

test("E80: HTTP/2 has an HTTP/1.1 status line, its protocol and that of TLS stand in fields of their own", () =>
  withSample(async (path) => {
    const record = (await recordsOf(path)).find(({ header }) =>
      fieldOf(header, "WARC-Target-URI") === "https://a.example/h2" && fieldOf(header, "WARC-Type") === "response"
    )!;
    assert.match(headOf(record), /^HTTP\/1\.1 200 \r\n/);
    const protocols = record.header.fields.filter(([name]) => name === "WARC-Protocol").map(([, value]) => value);
    assert.deepEqual(protocols, ["h2", "tls/1.3"]);
  }));

test("E83: a revisit names the capture that has the payload, with that capture's digest, and has no payload", () =>
  withSample(async (path) => {
    const revisits = (await recordsOf(path)).filter(({ header }) => fieldOf(header, "WARC-Type") === "revisit");
    assert.deepEqual(
      revisits.map(({ header }) => fieldOf(header, "WARC-Profile")!.replace(/^.*\/revisit\//, "")),
      ["server-not-modified", "identical-payload-digest"],
    );
    const original = (await recordsOf(path)).find(({ header }) =>
      fieldOf(header, "WARC-Target-URI") === EARLIER.url && fieldOf(header, "WARC-Type") === "response"
    )!;
    for (const { header, block } of revisits) {
      assert.equal(fieldOf(header, "WARC-Refers-To-Target-URI"), EARLIER.url);
      assert.equal(fieldOf(header, "WARC-Refers-To-Date"), "2026-11-30T16:31:52.123Z");
      assert.equal(fieldOf(header, "WARC-Refers-To"), fieldOf(original.header, "WARC-Record-ID"));
      assert.equal(fieldOf(header, "WARC-Payload-Digest"), EARLIER.payloadDigest);
      assert.equal(fieldOf(header, "Content-Type"), "application/http;msgtype=response");
      assert.equal(fieldOf(header, "WARC-Truncated"), undefined);
      assert.equal(readHttpBlock(block).payload.length, 0);
    }
    assert.match(headOf(revisits[0]!), /^HTTP\/1\.1 304 Not Modified\r\n/);
    assert.match(headOf(revisits[1]!), /X-Crawler-Transfer-Encoding: chunked\r\nContent-Length: 10\r\n/);
  }));

test("warc output: metadata says what the crawler knows of a capture, in one line each", () =>
  withSample(async (path) => {
    const records = (await recordsOf(path)).filter(({ header }) =>
      fieldOf(header, "WARC-Target-URI") === "http://a.example/scanned"
    );
    const [, response, metadata] = records;
    assert.equal(fieldOf(metadata!.header, "WARC-Type"), "metadata");
    assert.equal(fieldOf(metadata!.header, "WARC-Concurrent-To"), fieldOf(response!.header, "WARC-Record-ID"));
    assert.equal(fieldOf(metadata!.header, "Content-Type"), "application/warc-fields");
    assert.equal(
      new TextDecoder().decode(metadata!.block),
      [
        "fetchTimeMs: 13",
        "firstByteTimeMs: 3",
        "connectTimeMs: 1",
        `contentHash: sha256:${nativeDigest.sha256Hex(page)}`,
        "decodedBytes: 10",
        "decodeProblem: odd WARC-Type: x",
        "charset-detected: utf-8",
        "simhash: 0123456789abcdef",
        "outlinkCount: 7",
        "",
      ].join("\r\n"),
    );
  }));

test("E78 E79: the stored heads are true and can't be injected into", () =>
  withSample(async (path) => {
    const responses = (await recordsOf(path)).filter(({ header }) => fieldOf(header, "WARC-Type") === "response");
    const byName = new Map(
      responses.map((record) => [fieldOf(record.header, "WARC-Target-URI")!.split("/").pop()!, record]),
    );
    const head = (name: string) => headOf(byName.get(name)!);
    assert.equal(
      head("chunked"),
      "HTTP/1.1 200 OK\r\nX-Crawler-transfer-encoding: chunked\r\nContent-Length: 10\r\nX-A: 1\r\nx-a: 2\r\n\r\n",
    );
    assert.equal(
      head("wrong-length"),
      "HTTP/1.1 200 OK\r\nX-Crawler-Content-length: 999\r\nContent-Length: 10\r\nServer: x\r\n\r\n",
    );
    assert.match(head("two-lengths"), /\r\nContent-Length: 10\r\nX-Crawler-Content-Length: 10\r\n\r\n$/);
    assert.match(head("coded"), /\r\nContent-Encoding: gzip\r\n/);
    assert.match(head("h2"), /^HTTP\/1\.1 200 \r\n/);
    assert.match(head("bytes"), /X-Odd: caf\u00e9 \u0080\u00ff\r\nX-Empty: \r\n/);
    assert.equal(head("inject").split("\r\n").length, 5);
    assert.ok(byName.has("binary"), "the fragment isn't part of the target URI");
    for (const record of responses) {
      const { fields, payload } = readHttpBlock(record.block);
      const lengths = fields.filter(([name]) => name.toLowerCase() === "content-length");
      assert.ok(lengths.length <= 1);
      for (const [, value] of lengths) assert.equal(value, String(payload.length));
      assert.ok(!fields.some(([name]) => name.toLowerCase() === "transfer-encoding"));
    }
    const h2 = byName.get("h2")!.header;
    assert.equal(fieldOf(h2, "WARC-IP-Address"), "2001:db8::1");
    assert.equal(fieldOf(byName.get("cut")!.header, "WARC-Truncated"), "length");
  }));

interface HeaderRules {
  readonly mandatory: readonly string[];
  readonly mandatory_by_type: Readonly<Record<string, readonly string[]>>;
  readonly repeatable: readonly string[];
  readonly forbidden_on: Readonly<Record<string, readonly string[]>>;
}

test("warc output: the header rules of jwarc hold", () =>
  withSample(async (path) => {
    const rules = JSON.parse(corpusText("6-warc/validity-rules.json")).jwarc_validate.headers_warc_1_1 as HeaderRules;
    for (const { header } of await recordsOf(path)) {
      const type = fieldOf(header, "WARC-Type")!;
      const names = header.fields.map(([name]) => name);
      for (const name of rules.mandatory) assert.ok(names.includes(name), `${name} on ${type}`);
      for (const [name, types] of Object.entries(rules.mandatory_by_type)) {
        if (types.includes(type)) assert.ok(names.includes(name), `${name} on ${type}`);
      }
      for (const [name, types] of Object.entries(rules.forbidden_on)) {
        if (types.includes(type)) assert.ok(!names.includes(name), `${name} on ${type}`);
      }
      for (const name of names) {
        // An extension that the rules don't know, repeatable by its proposal.
        if (name !== "WARC-Protocol" && !rules.repeatable.includes(name)) {
          assert.equal(names.filter((one) => one === name).length, 1, name);
        }
      }
    }
  }), { skip: CORPORA_ABSENT });

test("E81: request, response and metadata share the date and name each other", () =>
  withSample(async (path) => {
    const [, ...records] = await recordsOf(path);
    for (let i = 0; i < records.length; i += 3) {
      const [request, response] = [records[i]!.header, records[i + 1]!.header];
      assert.equal(fieldOf(request, "WARC-Type"), "request");
      assert.equal(fieldOf(request, "WARC-Date"), "2026-11-30T16:31:53.123Z");
      assert.equal(fieldOf(response, "WARC-Date"), fieldOf(request, "WARC-Date"));
      assert.equal(fieldOf(request, "WARC-Concurrent-To"), fieldOf(response, "WARC-Record-ID"));
      assert.equal(fieldOf(response, "WARC-Concurrent-To"), fieldOf(request, "WARC-Record-ID"));
      assert.equal(records[i]!.offset + records[i]!.length, records[i + 1]!.offset);
      assert.equal(fieldOf(records[i + 2]!.header, "WARC-Date"), fieldOf(request, "WARC-Date"));
      assert.equal(fieldOf(records[i + 2]!.header, "WARC-Concurrent-To"), fieldOf(response, "WARC-Record-ID"));
    }
  }));
