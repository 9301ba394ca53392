import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { ParkedHosts } from "./parked_hosts.ts";

test("parked hosts come out as their group has room, and none is forgotten", () => {
  const parked = new ParkedHosts<string>();
  let room = 0;
  const takeFreed = () => parked.takeFreed(() => room);
  for (const name of ["x", "y", "z"]) parked.park("d", name);
  assert.deepEqual([parked.count("d"), parked.isParked("d", "y"), takeFreed()], [3, true, []]);
  parked.opened("d");
  assert.deepEqual(takeFreed(), [], "opened, but full again");
  room = 1;
  assert.deepEqual(takeFreed(), [], "nobody said that it is open");
  parked.opened("d");
  assert.deepEqual(takeFreed(), ["x"]);
  // x turns out to have nothing to lease: the room is offered to the next.
  assert.deepEqual(takeFreed(), ["y"]);
  room = 0;
  assert.deepEqual(takeFreed(), []);
  room = 5;
  parked.openedAll();
  assert.deepEqual([takeFreed(), takeFreed(), parked.isEmpty], [["z"], [], true]);
});
