import assert from "node:assert/strict";
import path from "node:path";
import { test } from "../tests/support/test.ts";
import { clusterPlaces } from "./cluster_flags.ts";
import { Fault } from "./fault.ts";

const GIVEN = { data: "d", shards: 2, listen: "127.0.0.1", port: 8600, shard: [], ownerTtlMs: 10_000 };

test("cluster flags: databases lie in the data folder under absolute names, or where they are said to", () => {
  assert.equal(clusterPlaces(GIVEN), undefined);
  const places = clusterPlaces({ ...GIVEN, cluster: true })!;
  assert.deepEqual(places.shards, [path.resolve("d/frontier-0.db"), path.resolve("d/frontier-1.db")]);
  assert.equal(places.control, path.resolve("d/control.db"));
  assert.equal(places.url, "http://127.0.0.1:8600");
  const remote = clusterPlaces({
    ...GIVEN,
    cluster: true,
    control: "https://db.example.org/control",
    listen: "::1",
    tlsCert: "c.pem",
  })!;
  assert.deepEqual([remote.control, remote.shards, remote.url], [
    "https://db.example.org/control",
    [],
    "https://[::1]:8600",
  ]);
  const url = "http://a.example.org:8600/";
  assert.equal(clusterPlaces({ ...GIVEN, cluster: true, port: 0, url })!.url, "http://a.example.org:8600");
});

test("cluster flags: what can't go together is a sentence", () => {
  assert.throws(() => clusterPlaces({ ...GIVEN, shard: ["x.db"] }), Fault);
  assert.throws(() => clusterPlaces({ ...GIVEN, cluster: true, port: 0 }), /--url is wanted/);
  assert.throws(() => clusterPlaces({ ...GIVEN, cluster: true, listen: "0.0.0.0" }), /--url is wanted/);
  assert.throws(() => clusterPlaces({ ...GIVEN, cluster: true, shard: ["x.db", "./x.db"] }), /given twice/);
  assert.throws(() => clusterPlaces({ ...GIVEN, cluster: true, url: "ftp://x" }), /an http: or https: URL is wanted/);
});
