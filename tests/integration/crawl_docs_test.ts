/**
 * A documentation tree that nobody here wrote, served by nginx: exactly the pages that `wget --mirror` finds, each once,
 * and an archive that Python's warcio passes.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { checkIndex, checkPages, warcFiles } from "../support/crawl_output.ts";
import { commandAbsent, nginxAbsent, startNginx } from "../support/nginx.ts";
import { runOutrider } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const DOCS = "/usr/share/doc";
const TREES = existsSync(DOCS)
  ? readdirSync(DOCS).filter((name) => /^postgresql-doc-\d+$/.test(name)).map((name) => `${DOCS}/${name}/html`)
  : [];
const TREE = TREES.find((path) => existsSync(`${path}/index.html`));

const skip = nginxAbsent() ?? commandAbsent("wget") ??
  (TREE === undefined ? "Debian's postgresql-doc isn't installed" : undefined);
const warcio = spawnSync("python3", ["-c", "import warcio"]).status === 0;

const isPage = (path: string) => path.endsWith(".html") || path.endsWith("/");
/** wget keeps `/` and `/index.html` in one file and so asks for one of them; they are two URLs, and both are linked. */
const page = (path: string) => path.replace(/\/index\.html$/, "/");
const pageSet = (paths: readonly string[]) => [...new Set(paths.filter(isPage).map(page))].sort();

test("docs: a real documentation tree is crawled to what wget finds, each page once", async () => {
  const folder = temporaryFolder();
  const nginx = await startNginx(TREE!, folder.path);
  try {
    const mirror = spawnSync("wget", ["-q", "--mirror", "-P", folder.file("mirror"), `${nginx.origin}/`]);
    assert.ok([0, 8].includes(mirror.status!), "wget ended badly");
    const wanted = pageSet(nginx.takeLog());
    assert.ok(wanted.length > 500, `wget found ${wanted.length} pages`);

    const data = folder.file("data");
    const flags = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--data", data];
    const ended = await runOutrider(["crawl", `${nginx.origin}/`, ...flags]);
    assert.equal(ended.code, 0, ended.stderr);
    const asked = nginx.takeLog();
    assert.equal(new Set(asked).size, asked.length, "nothing is asked for twice");
    assert.deepEqual(pageSet(asked), wanted, "asked for");
    const told = checkPages(data).filter(({ status }) => status === 200).map(({ url }) => new URL(url).pathname);
    assert.deepEqual(pageSet(told), wanted, "told in pages.jsonl");
    checkIndex(data);
    if (!warcio) return console.log("warcio check was left out: Python's warcio isn't installed");
    const check = spawnSync("python3", ["-m", "warcio.cli", "check", ...warcFiles(data)], { encoding: "utf8" });
    assert.equal(check.status, 0, check.stdout + check.stderr);
  } finally {
    await nginx.stop();
    await folder.remove();
  }
}, { skip, timeoutMs: 180_000 });
