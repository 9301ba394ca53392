import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { type Channel, openCalls } from "./calls.ts";

/** Two ends that are one another's other side; messages go through structured clone, as between threads. */
function pair(): [Channel, Channel] {
  const listeners: ((event: { data: unknown }) => void)[][] = [[], []];
  const end = (mine: number): Channel => ({
    postMessage: (message) => {
      const data = structuredClone(message);
      queueMicrotask(() => listeners[1 - mine]!.forEach((listener) => listener({ data })));
    },
    addEventListener: (_type, listener) => void listeners[mine]!.push(listener),
  });
  return [end(0), end(1)];
}

for (const crossing of ["clone", "text"] as const) {
  test(`calls by ${crossing}: values and errors come back to their caller, both ways, out of order`, async () => {
    const [left, right] = pair();
    let release = () => {};
    const here = openCalls(left, { twice: (n: number) => 2 * n }, crossing);
    const there = openCalls(right, {
      slow: (text: string) => new Promise((resolve) => release = () => resolve(`${text}!`)),
      full: () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" })),
      fail: () => Promise.reject(new Error("It broke; it should hold.")),
      nothing: () => undefined,
    }, crossing);
    const slow = here.call<string>("slow", "a");
    await assert.rejects(here.call("fail"), { message: "It broke; it should hold." });
    await assert.rejects(here.call("full"), { message: "no space", code: "ENOSPC" });
    await assert.rejects(here.call("absent"), /nothing of that name is offered/);
    assert.equal(await here.call("nothing"), undefined);
    assert.equal(await there.call<number>("twice", 21), 42);
    release();
    assert.equal(await slow, "a!");
  });
}

test("calls: closing rejects what waits and what comes", async () => {
  const [left] = pair();
  const here = openCalls(left, {});
  const waiting = here.call("never");
  here.close("The thread ended.");
  await assert.rejects(waiting, { message: "The thread ended." });
  await assert.rejects(here.call("again"), { message: "The thread ended." });
});
