import assert from "node:assert/strict";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest } from "../runtime/node.ts";
import { sampleArchive, sampleEntry } from "../tests/support/archives.ts";
import { MemoryFiles } from "../tests/support/memory_files.ts";
import { test } from "../tests/support/test.ts";
import type { CaptureFacts, History } from "../protocol/mod.ts";
import { capture } from "./capture.ts";
import type { Exchange } from "./ports.ts";
import { KnownPayloads } from "./steps/known_payloads.ts";

const PAGE = new TextEncoder().encode("<p>the same bytes on every URL</p>");

/** Archives for real, in memory; `take` gives the facts and the header of the record that they point at. */
async function desk() {
  const files = new MemoryFiles();
  const parts = { archive: await sampleArchive({ files }), digest: nativeDigest, payloads: new KnownPayloads() };
  let taken = 0;
  const take = async (
    changes: Partial<Exchange> & { crawlId?: string; history?: History; targetUrl?: string } = {},
  ) => {
    const { crawlId = "one", history, targetUrl, ...exchange } = changes;
    const entry = sampleEntry({ body: PAGE, ...exchange });
    const name = `lease/1/${entry.exchange.url}/${taken}`;
    const facts = await capture(parts, {
      exchange: entry.exchange,
      targetUrl: targetUrl ?? entry.exchange.url,
      fetchedAt: entry.fetchedAt + 1000 * taken++,
      captureName: name,
      contentHash: entry.contentHash!,
      crawlId,
      history,
    });
    const bytes = await files.readRange(`data/${facts.record.storage_key}`, facts.record.offset, facts.record.length);
    const member = nativeGunzip.member(bytes!, 1 << 20);
    assert.ok(member.state === "whole");
    const text = new TextDecoder().decode(member.data);
    const field = (wanted: string) => new RegExp(`^${wanted}: (.*)\r$`, "m").exec(text)?.[1];
    const acknowledge = () =>
      parts.payloads.acknowledged({
        crawlId,
        httpCode: entry.exchange.status,
        url: entry.exchange.url,
        captureName: name,
      }, facts);
    return { facts, field, acknowledge, type: field("WARC-Type") };
  };
  return { take, close: () => parts.archive.close() };
}

function historyOf(facts: CaptureFacts): History {
  const { content_hash, record, fetched_at, payload_digest, refers_to } = facts;
  return { content_hash, record, fetched_at, payload_digest, ...(refers_to === undefined ? {} : { refers_to }) };
}

test("E83: a payload that was acknowledged before becomes a revisit; one that wasn't is stored whole", async () => {
  const { take, close } = await desk();
  const first = await take({ url: "http://a.example/1" });
  assert.equal((await take({ url: "http://a.example/2" })).type, "response", "the first isn't acknowledged");
  first.acknowledge();
  const third = await take({ url: "http://a.example/3" });
  assert.equal(third.type, "revisit");
  assert.equal(third.field("WARC-Refers-To-Target-URI"), "http://a.example/1");
  assert.equal(third.field("WARC-Refers-To"), first.field("WARC-Record-ID"));
  assert.equal(third.field("WARC-Refers-To-Date"), first.field("WARC-Date"));
  assert.deepEqual(third.facts.refers_to, { url: "http://a.example/1", fetched_at: first.facts.fetched_at });
  assert.equal(third.facts.payload_digest, first.facts.payload_digest);
  third.acknowledge();
  const fourth = await take({ url: "http://a.example/4" });
  assert.equal(fourth.field("WARC-Refers-To-Target-URI"), "http://a.example/1", "never a revisit of a revisit");
  await close();
});

test("E83: other crawls, other statuses, cut bodies, empty bodies and redirects are stored as they came", async () => {
  const { take, close } = await desk();
  const empty = new Uint8Array(0);
  for (const changes of [{}, { body: empty, decoded: empty }, { status: 301 }]) (await take(changes)).acknowledge();
  (await take({ body: PAGE.subarray(5), truncated: "length" })).acknowledge();
  const others = [
    { crawlId: "two" },
    { status: 404 },
    { status: 301 },
    { truncated: "length" as const },
    { body: empty, decoded: empty },
    { body: PAGE.subarray(5) },
  ];
  for (const changes of others) assert.equal((await take(changes)).type, "response", JSON.stringify(changes));
  await close();
});

test("E83: a 304 refers to the capture that it speaks of, through revisits of it, with the digest of the payload", async () => {
  const { take, close } = await desk();
  const first = await take();
  const empty = new Uint8Array(0);
  const notModified = { status: 304, reason: "Not Modified", body: empty, decoded: empty };
  const second = await take({ ...notModified, history: historyOf(first.facts) });
  const third = await take({ ...notModified, history: historyOf(second.facts) });
  for (const { type, field, facts } of [second, third]) {
    assert.equal(type, "revisit");
    assert.match(field("WARC-Profile")!, /\/revisit\/server-not-modified$/);
    assert.equal(field("WARC-Refers-To-Date"), first.field("WARC-Date"));
    assert.equal(field("WARC-Payload-Digest"), first.facts.payload_digest);
    assert.deepEqual([facts.payload_digest, facts.content_hash], [
      first.facts.payload_digest,
      first.facts.content_hash,
    ]);
  }
  const same = await take({ history: historyOf(third.facts) });
  assert.match(same.field("WARC-Profile")!, /\/revisit\/identical-payload-digest$/);
  assert.equal(same.field("WARC-Refers-To-Date"), first.field("WARC-Date"));
  assert.equal((await take(notModified)).type, "response", "a 304 that nobody asked for refers to nothing");
  const moved = { url: "http://a.example/?moved", targetUrl: "http://a.example/", history: historyOf(first.facts) };
  const elsewhere = await take({ ...notModified, ...moved });
  assert.deepEqual([elsewhere.type, elsewhere.facts.refers_to], ["response", undefined], "nor does another URL's");
  assert.notEqual(elsewhere.facts.content_hash, first.facts.content_hash);
  await close();
});

test("known payloads: bounded, the oldest are forgotten", async () => {
  const { take, close } = await desk();
  const known = new KnownPayloads({ entries: 2, bytes: 4_096 });
  const { facts } = await take();
  const digests = ["1", "2", "3"].map((letter) => `sha1:${letter.repeat(32)}`);
  for (const payload_digest of digests) {
    const where = { crawlId: "one", httpCode: 200, url: "http://a.example/", captureName: payload_digest };
    known.acknowledged(where, { ...facts, payload_digest });
  }
  const found = digests.map((payloadDigest) => known.find({ crawlId: "one", httpCode: 200, payloadDigest }));
  assert.deepEqual(found.map((one) => one?.captureName), [undefined, digests[1], digests[2]]);
  await close();
});
