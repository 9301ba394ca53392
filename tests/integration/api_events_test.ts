/** Stored pages over the API: found by their content, told as events that can be gone on from. */

import assert from "node:assert/strict";
import { createApi } from "../../coordinator/api/api.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import { apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, freshDisks, openControlPlane, withControlPlane } from "../support/control_plane.ts";
import { answerAll, spec } from "../support/frontier.ts";
import { test } from "../support/test.ts";

/** Crawls `/0`, and then what links lead to, until `pages` are stored. */
async function storePages(coordinator: Coordinator, advance: (ms: number) => void, pages: number): Promise<void> {
  await coordinator.createCrawl("c", spec(["https://a.example/0"]));
  while (coordinator.stats("c")!.pages < pages) {
    const { leases } = await coordinator.lease({ worker_id: "w1", region: "r", max: 1, max_leases: 1, holding: 0 });
    for (const lease of leases) {
      await answerAll(coordinator, lease, (url) => [url.replace(/\d+$/, (number) => String(Number(number) + 1))]);
    }
    advance(2_000);
  }
}

test("events: every stored page once, in pieces, from any event on, for readers too", async () => {
  await withControlPlane(async (plane) => {
    const ask = apiClient(apiParts(plane));
    await storePages(plane.coordinator, plane.advance, 7);
    const seen: { id: string; url: string }[] = [];
    for (let after = "";;) {
      const { status, body } = await ask(`GET /v1/events?limit=3&after=${after}`, { token: READER_TOKEN });
      assert.equal(status, 200, JSON.stringify(body));
      if (body.events.length === 0) break;
      seen.push(...body.events);
      after = body.next;
    }
    assert.deepEqual(seen.map(({ url }) => url), [0, 1, 2, 3, 4, 5, 6].map((n) => `https://a.example/${n}`));
    const [, , third] = seen;
    const rest = (await ask("GET /v1/events", { headers: { "last-event-id": third!.id } })).body.events;
    assert.deepEqual(rest, seen.slice(3));
    const { body } = await ask("GET /v1/events?limit=1");
    const { content_hash, change_rate, importance, storage_key } = body.events[0];
    assert.ok(/^[0-9a-f]{64}$/.test(content_hash) && change_rate > 0 && importance > 0 && storage_key !== "");
    for (const wrong of ["x", "1-2", "-1", "1.5"]) {
      assert.equal((await ask(`GET /v1/events?after=${wrong}`)).status, 400, wrong);
    }
    assert.equal((await ask("GET /v1/events", { token: EDGE_TOKEN })).status, 403);
  });
});

test("events: a stream tells what is there and what comes, and ends with its reader", async () => {
  await withControlPlane(async (plane) => {
    const app = createApi(apiParts(plane));
    await storePages(plane.coordinator, plane.advance, 2);
    const headers = { accept: "text/event-stream", authorization: `Bearer ${READER_TOKEN}` };
    const response = await app.request("http://localhost/v1/events", { headers });
    assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (count: number) => {
      while (text.split("event: page").length <= count) text += (await reader.read()).value ?? "";
    };
    await until(2);
    await storePages(plane.coordinator, plane.advance, 3);
    await until(3);
    const urls = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!).url);
    assert.deepEqual(urls, [0, 1, 2].map((n) => `https://a.example/${n}`));
    assert.match(text, /^retry: 2000\n\nid: \d+\nevent: page\ndata: /);
    await reader.cancel();
  });
});

/** Ids and URLs of the next `count` events of a stream. */
async function streamed(
  plane: ControlPlane,
  count: number,
  headers: Record<string, string>,
): Promise<[string, string][]> {
  const response = await createApi(apiParts(plane)).request("http://localhost/v1/events", {
    headers: { accept: "text/event-stream", authorization: `Bearer ${READER_TOKEN}`, ...headers },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const found = () => [...text.matchAll(/^id: (\S+)\nevent: page\ndata: (.*)$/gm)];
  while (found().length < count) text += (await reader.read()).value ?? "";
  await reader.cancel();
  return found().map(([, id, data]) => [id!, JSON.parse(data!).url]);
}

test("events: over restarts a reader goes on where it was, and nothing is missed, on two shards", async () => {
  const disks = freshDisks(2);
  const told: string[] = [];
  let last = "";
  const hosts = ["a", "b", "c", "d"].map((name) => `https://${name}.example/0`);
  for (let life = 1; life <= 4; life++) {
    const plane = await openControlPlane(disks);
    try {
      const { coordinator, advance } = plane;
      if (life === 1) await coordinator.createCrawl("c", spec(hosts));
      const stored = () => coordinator.stats("c")!.pages;
      for (const until = stored() + 5; stored() < until; advance(2_000)) {
        const { leases } = await coordinator.lease({ worker_id: "w1", region: "r", max: 9, max_leases: 9, holding: 0 });
        for (const lease of leases) {
          await answerAll(coordinator, lease, (url) => [url.replace(/\d+$/, (number) => String(Number(number) + 1))]);
        }
      }
      // One is left unread: the next life begins with it.
      const events = await streamed(plane, stored() - told.length - 1, last === "" ? {} : { "last-event-id": last });
      told.push(...events.map(([, url]) => url));
      last = events.at(-1)![0];
      const again = (await apiClient(apiParts(plane))(`GET /v1/events?limit=500&after=${events[0]![0]}`)).body.events;
      const rest = events.slice(1).map(([, url]) => url);
      assert.deepEqual(again.slice(0, rest.length).map(({ url }: { url: string }) => url), rest);
    } finally {
      await plane.coordinator.close();
    }
  }
  assert.ok(told.length >= 19, `${told.length}`);
  assert.equal(new Set(told).size, told.length, "none came twice, as none was read twice");
});

test("pages: content is found by its hash, with every capture of it", async () => {
  await withControlPlane(async (plane) => {
    const ask = apiClient(apiParts(plane));
    await storePages(plane.coordinator, plane.advance, 2);
    const { content_hash, url } = (await ask("GET /v1/events?limit=1")).body.events[0];
    const { status, body } = await ask(`GET /v1/pages/${content_hash}`, { token: READER_TOKEN });
    assert.deepEqual([status, body.url, body.others, body.content_hash], [200, url, [], content_hash]);
    assert.equal((await ask(`GET /v1/pages/${"0".repeat(63)}f`)).status, 404);
    assert.equal((await ask("GET /v1/pages/abc")).status, 400);
  });
});
