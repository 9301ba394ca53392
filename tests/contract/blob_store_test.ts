/** Every blob store is one: folders, and S3 on real servers, also while the way there is in trouble. */

import assert from "node:assert/strict";
import { systemFiles } from "../../runtime/files.ts";
import { folderBlobs } from "../../runtime/folder_blobs.ts";
import { systemClock, systemRandom } from "../../runtime/node.ts";
import { type S3BlobOptions, s3Blobs } from "../../runtime/s3_blobs.ts";
import { type FaultyS3, faultyS3, type S3Fault } from "../support/s3_faults.ts";
import { S3_KINDS, type S3Kind, type S3Server } from "../support/s3_server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { blobStoreSuite, noise } from "./blob_store_suite.ts";

/** S3's least. */
const PART_BYTES = 5 * 1024 * 1024;

test("blob store: a folder", async () => {
  const folder = temporaryFolder();
  try {
    await blobStoreSuite(folderBlobs(systemFiles, folder.file("blobs")), 100_000);
  } finally {
    await folder.remove();
  }
});

function blobsAt(server: S3Server, changes: Partial<S3BlobOptions> = {}) {
  const { place, credentials } = server;
  const timing = { clock: systemClock, random: systemRandom, mostWaitMs: 5, tryMs: 10_000 };
  return s3Blobs({ place, credentials, partBytes: PART_BYTES, ...timing, ...changes });
}

for (const kind of S3_KINDS) {
  test(`blob store: ${kind.name}`, async () => {
    const server = await kind.start();
    try {
      await blobStoreSuite(blobsAt(server), PART_BYTES);
      const inFolder = { ...server.place, prefix: `${server.place.prefix}a/prefix/` };
      const below = blobsAt({ ...server, place: inFolder });
      await below.put("list/x", noise(3));
      assert.deepEqual(await below.list("list"), ["list/x"]);
      assert.equal(await blobsAt(server).size("a/prefix/list/x"), 3);
      if (kind.name === "s3rver") return; // It takes any signature of version 4.
      const wrong = blobsAt({ ...server, credentials: { ...server.credentials, secretAccessKey: "wrong" } });
      await assert.rejects(wrong.put("a", noise(1)), /found status 403 \(SignatureDoesNotMatch\); a store/);
    } finally {
      await server.stop();
    }
  }, { skip: kind.absent, timeoutMs: 60_000 });
}

/** A server of the kind behind a way on which things go wrong. */
async function onBadWay(kind: S3Kind, use: (way: FaultyS3, server: S3Server) => Promise<void>): Promise<void> {
  const server = await kind.start();
  const way = await faultyS3(server.place.endpoint);
  try {
    await use(way, { ...server, place: { ...server.place, endpoint: way.endpoint } });
  } finally {
    await way.close();
    await server.stop();
  }
}

const FAULTS: readonly S3Fault[] = ["refuse", "reset", "lost"];

/** What fails is done again: every request of an object is refused, cut or unanswered once. */
async function retried(way: FaultyS3, server: S3Server): Promise<void> {
  const blobs = blobsAt(server);
  const large = noise(PART_BYTES + 10);
  for (const fault of FAULTS) {
    const asked = new Set<string>();
    way.plan = ({ method, url }) => {
      const what = `${method} ${url.replace(/uploadId=[^&]*/, "")}`;
      return asked.size === asked.add(what).size ? undefined : fault;
    };
    await blobs.put("bad/small", noise(100));
    await blobs.put("bad/large", large);
    assert.equal((await blobs.get("bad/small"))!.length, 100, fault);
    assert.equal(await blobs.size("bad/large"), large.length, fault);
    assert.deepEqual(await blobs.list("bad"), ["bad/large", "bad/small"]);
    await blobs.remove("bad/small");
    assert.ok(asked.size >= 8, `${asked.size} requests`);
  }
}

/** An upload that can't be completed is aborted and never listed; an error in an answer of 200 is one. */
async function aborted(way: FaultyS3, server: S3Server): Promise<void> {
  const blobs = blobsAt(server, { tries: 3 });
  for (const fault of ["refuse", "late"] as const) {
    way.plan = ({ method, url }) => method === "POST" && url.includes("uploadId") ? fault : undefined;
    const put = blobs.put("half/object", noise(PART_BYTES + 10));
    await assert.rejects(
      put,
      /POST s3:\/\/archive\/half\/object .* failed: found status .*\(SlowDown\), 3 times in a row; /,
    );
    assert.deepEqual(await blobs.list("half"), []);
    assert.equal(await blobs.size("half/object"), undefined);
    assert.equal(way.seen.at(-3)?.method, "DELETE", "the upload was aborted");
  }
}

/** A store that says nothing is given up in time; one that isn't there, and a wrong key, are sentences. */
async function told(way: FaultyS3, server: S3Server): Promise<void> {
  way.plan = () => "mute";
  const begun = systemClock.monotonicMs();
  const mute = blobsAt(server, { tries: 2, tryMs: 100 });
  await assert.rejects(
    mute.put("a", noise(1)),
    /PUT s3:\/\/archive\/a .* found no answer in time, 2 times in a row/,
  );
  assert.ok(systemClock.monotonicMs() - begun < 5000);
  way.plan = () => undefined;
  const wrong = blobsAt({ ...server, credentials: { accessKeyId: "nobody", secretAccessKey: "wrong" } });
  await assert.rejects(
    wrong.put("a", noise(1)),
    /found status 403 \(InvalidAccessKeyId\); a store that keeps it/,
  );
  const absent = blobsAt({ ...server, place: { ...server.place, endpoint: "http://127.0.0.1:1" } }, { tries: 2 });
  await assert.rejects(absent.get("a"), /GET s3:\/\/archive\/a at http:\/\/127\.0\.0\.1:1 failed: found "/);
  const noBucket = blobsAt({ ...server, place: { ...server.place, bucket: "nothing" } });
  for (const ask of [() => noBucket.put("a", noise(1)), () => noBucket.get("a"), () => noBucket.list("a")]) {
    await assert.rejects(ask, /found status 404 \(NoSuchBucket\)/);
  }
}

test(
  "S3: on a way that refuses, cuts, swallows and says nothing objects are whole or not there",
  () =>
    onBadWay(S3_KINDS[0]!, async (way, server) => {
      for (const check of [retried, aborted, told]) {
        await check(way, server);
        way.plan = () => undefined;
      }
    }),
  { timeoutMs: 60_000 },
);
