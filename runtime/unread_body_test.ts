import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { takeRest } from "./unread_body.ts";

/** A request whose body comes in these many blocks of 16 KiB; `ends`: or stands still after them. */
function posted(blocks: number, ends = true) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (seen.pulled < blocks) controller.enqueue(new Uint8Array(16 * 1024));
      else if (ends) controller.close();
      else await new Promise<void>(() => {});
      seen.pulled++;
    },
    cancel() {
      seen.cancelled = true;
    },
  }, { highWaterMark: 0 });
  const request = new Request("http://h/", { method: "POST", body, duplex: "half" } as RequestInit);
  return { request, seen };
}

test("unread body: an early answer waits for the end of a short body", async () => {
  const { request, seen } = posted(3);
  await takeRest(request);
  assert.deepEqual(seen, { pulled: 4, cancelled: false });
});

test("unread body: a long one is given up after 64 KiB, one that stands still after its time", async () => {
  const long = posted(1000);
  await takeRest(long.request);
  assert.ok(long.seen.pulled < 10, `${long.seen.pulled} blocks were read`);
  await takeRest(posted(1, false).request, 20);
});

test("unread body: a body that was read, or that isn't there, is left alone", async () => {
  const { request } = posted(1);
  assert.equal((await request.arrayBuffer()).byteLength, 16 * 1024);
  await takeRest(request);
  await takeRest(new Request("http://h/"));
});
