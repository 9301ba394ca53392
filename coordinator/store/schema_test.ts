/** The views that an operator reads say what the rows say. */

import assert from "node:assert/strict";
import { systemClock } from "../../runtime/node.ts";
import { batch, captureRow, urlRow } from "../../tests/support/shard_rows.ts";
import { temporaryFolder } from "../../tests/support/temporary.ts";
import { test } from "../../tests/support/test.ts";
import { connect } from "./libsql_client.ts";
import { openLibsqlShardStore } from "./libsql_shard_store.ts";

test("the views frontier and page show every logical field", async () => {
  const folder = temporaryFolder();
  try {
    const location = folder.file("frontier-0.db");
    const store = openLibsqlShardStore({ location, clock: systemClock });
    await store.open("owner", 1);
    const url = urlRow(1, { fingerprint: (1n << 64n) - 1n, state: "waiting", availableAt: 5, reason: "dns" });
    await store.commit(batch(1, { newUrls: [url], captures: [captureRow(1, "w1/a.warc.gz", { simhash: "ff" })] }));
    await store.close();

    const shell = connect({ location });
    const show = async (columns: string, view: string) =>
      Array.from((await shell.read(`select ${columns} from ${view}`))[0]!);
    assert.deepEqual(
      await show(
        "slot, crawl_id, fingerprint, url, host, domain, state, band, seq, depth, hop, discovery_path",
        "frontier",
      ),
      [7n, "default", "ffffffffffffffff", url.url, "a.example", "a.example", "waiting", 3n, 1n, 2n, 1n, "ILR"],
    );
    assert.deepEqual(
      await show(
        "priority, discovered_from, enqueued_at, available_at, attempts, reason, http_code, last_fetch_at, in_links, visits",
        "frontier",
      ),
      [0.1 + 0.2, "https://a.example/", 1_790_000_000_001n, 5n, 0n, "dns", 0n, 0n, 4n, 0n],
    );
    assert.deepEqual(
      await show(
        "seq, url, http_code, content_hash, text_hash, simhash, storage_key, record_offset, record_length",
        "page",
      ),
      [1n, "https://a.example/1", 200n, "ab".repeat(32), "00ff00ff00ff00ff", "ff", "w1/a.warc.gz", 10n, 9n],
    );
    assert.deepEqual(
      await show("fingerprint, fetched_at, length, content_type, etag, last_modified, noindex, canonical", "page"),
      ["ffffffffffffffff", 1_790_000_000_001n, 100n, "text/html", '"e"', null, 1n, null],
    );
    shell.close();
  } finally {
    await folder.remove();
  }
});
