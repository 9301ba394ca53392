/** A data folder is opened with the shards that it was made with. */

import assert from "node:assert/strict";
import { silentLog, spec, testCore } from "../tests/support/frontier.ts";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { systemFiles } from "../runtime/files.ts";
import type { DirectoryStore } from "../coordinator/owner_ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openCoordinatorNode } from "./coordinator_node.ts";

test("a data folder is refused with fewer or more shards than it has, which leaves it as it was", async () => {
  const folder = temporaryFolder();
  const core = await testCore();
  const open = (shards: number) =>
    openCoordinatorNode({ core, log: silentLog, folder: folder.path, shards, settings: {} });
  try {
    const { coordinator } = await open(2);
    await coordinator.createCrawl("c", spec(["https://a.example/"]));
    await coordinator.close();
    await assert.rejects(
      open(1),
      /with 1 shard failed: .* holds frontier-0\.db, frontier-1\.db; wanted frontier-0\.db\./,
    );
    await assert.rejects(open(3), /with 3 shards failed: .* holds frontier-0\.db, frontier-1\.db; wanted .*-2\.db\./);
    const again = await open(2);
    assert.equal(again.coordinator.stats("c")!.accepted, 1);
    await again.coordinator.close();
    await systemFiles.remove(folder.file("frontier-1.db"));
    await assert.rejects(open(2), /holds frontier-0\.db; wanted frontier-0\.db, frontier-1\.db\./, "one was lost");
  } finally {
    await folder.remove();
  }
});

test("a first start that was cut short between two databases is finished by the next", async () => {
  const folder = temporaryFolder();
  const core = await testCore();
  const open = () => openCoordinatorNode({ core, log: silentLog, folder: folder.path, shards: 2, settings: {} });
  try {
    await (await open()).coordinator.close();
    await systemFiles.remove(folder.file("frontier-1.db"));
    const { coordinator } = await open();
    assert.equal(coordinator.shardCount(), 2);
    await coordinator.close();
  } finally {
    await folder.remove();
  }
});

test("a folder whose slots were handed over isn't opened by one process alone", async () => {
  const folder = temporaryFolder();
  const core = await testCore();
  const open = () => openCoordinatorNode({ core, log: silentLog, folder: folder.path, shards: 2, settings: {} });
  const inDirectory = async (work: (directory: DirectoryStore) => Promise<unknown>) => {
    const control = openLibsqlControlStore({ location: folder.file("control.db") });
    await control.open();
    await work(control.directory);
    await control.close();
  };
  try {
    await (await open()).coordinator.close();
    await inDirectory((directory) => directory.found(["a.db", "b.db"]));
    await (await open()).coordinator.close();
    await inDirectory((directory) => directory.beginMove({ slot: 7, from: 0, to: 1 }));
    await assert.rejects(open(), /alone failed: its slots were shared out anew among 2 shards; wanted is .*--cluster/);
  } finally {
    await folder.remove();
  }
});
