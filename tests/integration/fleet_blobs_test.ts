/**
 * A fleet whose WARC files lie in an S3 store, on a way that fails now and then; an edge is killed in the middle.
 */

import assert from "node:assert/strict";
import { checkFile } from "../../edge/warc/check_file.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, systemClock, systemRandom } from "../../runtime/node.ts";
import type { SharedBlobs } from "../../runtime/ports.ts";
import { s3Blobs } from "../../runtime/s3_blobs.ts";
import { Fleet } from "../support/fleet.ts";
import { faultyS3, type S3Fault } from "../support/s3_faults.ts";
import { S3_KINDS } from "../support/s3_server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { spawnWeb } from "../support/web_server.ts";

const WORKERS = ["eu-1", "us-1"];
const FAULTS: readonly (S3Fault | undefined)[] = [
  "refuse",
  undefined,
  "reset",
  undefined,
  "lost",
  undefined,
  undefined,
];

interface Event {
  readonly url: string;
  readonly storage_key: string;
  readonly offset: number;
  readonly length: number;
}

async function eventsOf(fleet: Fleet): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = "";;) {
    const query = after === "" ? "" : `&after=${after}`;
    const page = await fleet.api(`/v1/events?limit=1000${query}`) as unknown as { events: Event[]; next: string };
    if (page.events.length === 0) return events;
    events.push(...page.events);
    after = page.next;
  }
}

/** Every stored page that was told of is a whole record in the store; every object is a valid file. */
async function checkStore(blobs: SharedBlobs, events: readonly Event[], folder: string): Promise<void> {
  const names = (await Promise.all(WORKERS.map((worker) => blobs.list(`${worker}/warc`)))).flat();
  assert.ok(names.length >= 3, `${names.length} objects`);
  for (const name of names) {
    const path = `${folder}/${name}`;
    await systemFiles.writeWhole(path, (await blobs.get(name))!);
    const step = await checkFile({ files: systemFiles, gunzip: nativeGunzip, digest: nativeDigest, path }).next();
    assert.ok(step.done, String(step.value));
  }
  for (const { url, storage_key, offset, length } of events) {
    const bytes = await systemFiles.readRange(`${folder}/${storage_key}`, offset, length);
    const member = nativeGunzip.member(bytes ?? new Uint8Array(0), 1 << 24);
    assert.ok(member.state === "whole" && member.used === length, `${url} in ${storage_key}`);
    assert.ok(new TextDecoder("latin1").decode(member.data).includes(`WARC-Target-URI: ${url}\r\n`), url);
  }
}

test("E84: what was acknowledged is in the blob store though the way there fails and an edge is killed", async () => {
  const web = await spawnWeb({ hosts: 12, pages: 600, pageKb: 8, links: 20, features: [] });
  const server = await S3_KINDS[0]!.start();
  const way = await faultyS3(server.place.endpoint);
  let asked = 0;
  way.plan = ({ url }) => url.includes("/warc/") ? FAULTS[asked++ % FAULTS.length] : undefined;
  const folder = temporaryFolder();
  const opened = ["--allow-address", "127.0.0.0/8"];
  const store = ["--blobs", "s3://archive/a/fleet", "--s3-endpoint", way.endpoint];
  const { accessKeyId, secretAccessKey } = server.credentials;
  const fleet = new Fleet({
    folder,
    workers: WORKERS,
    coordinatorFlags: opened,
    edgeFlags: [...opened, ...store, "--segment-seconds", "1", "--segment-mb", "1", "--hosts", "4"],
    edgeEnv: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  });
  try {
    await fleet.start();
    const body = { seeds: [web.seed], scope: { kind: "any" }, politeness: { delay_ms: 0 } };
    await fleet.api("/v1/crawls", { body });
    const isBoth = (events: readonly Event[]) =>
      WORKERS.every((worker) => events.filter((event) => event.storage_key.startsWith(`${worker}/`)).length >= 8);
    for (const until = Date.now() + 40_000; !isBoth(await eventsOf(fleet));) {
      assert.ok(Date.now() < until, `after 40 s: ${(await eventsOf(fleet)).length} pages`);
      await systemClock.sleep(50);
    }
    const [killed, stopped] = WORKERS.map((worker) => fleet.edges.get(worker)!);
    killed!.kill("SIGKILL");
    stopped!.kill("SIGTERM");
    const end = await stopped!.ended;
    assert.ok([0, 143].includes(end.code ?? 0), end.stderr);
    const events = await eventsOf(fleet);
    const place = { ...server.place, prefix: "a/fleet/" };
    const blobs = s3Blobs({ place, credentials: server.credentials, clock: systemClock, random: systemRandom });
    await checkStore(blobs, events, folder.file("store"));
    const index = new TextDecoder().decode(await blobs.get("us-1/index.cdxj")).trimEnd().split("\n");
    const ofStopped = events.filter(({ storage_key }) => storage_key.startsWith("us-1/"));
    assert.ok(index.length >= ofStopped.length && ofStopped.length >= 8, `${index.length} lines`);
    assert.deepEqual(index, [...index].sort());
    for (const line of index) assert.match(line, /"filename":"us-1\/warc\/us-1-[^"]*\.warc\.gz"/);
    assert.ok(way.seen.length > 10 && asked > 7, `${way.seen.length} requests`);
  } finally {
    await fleet.stop();
    await way.close();
    await server.stop();
    await web.stop();
    await folder.remove();
  }
}, { timeoutMs: 120_000 });
