/** WARC files that others made: read to the end, with the verdicts that are known for them. */

import assert from "node:assert/strict";
import { checkFile } from "../../edge/warc/check_file.ts";
import { readWarc } from "../../edge/warc/reader.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { CORPORA_ABSENT, corpusLines, corpusPath } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface Fact {
  readonly file: string;
  readonly special: string;
  readonly warcio_check?: { readonly exit: number; readonly records_seen?: number };
}

const FOLDER = "6-warc/";

/** Where we count other records than warcio does, and why. */
const OTHER_COUNT: Readonly<Record<string, string>> = {
  "files/warcio/example-wrong-chunks.warc.gz": "its block is shorter than stated: a fault to us, a record to warcio",
  "files/webarchive-commons/resource/html/link-extraction-test.warc":
    "wrong Content-Lengths: behind one we look for the next line that begins a record, warcio skips the stated bytes",
  "files/resiliparse/clipped.warc.gz": "its only member is torn: warcio counts the part that is there",
};

/** Valid to warcio, which looks at digests only, and not to us, who look at the fields and the framing too. */
const OTHER_VERDICT: Readonly<Record<string, RegExp>> = {
  "files/warcio/example-space-in-target-uri.warc.gz": /WARC-Target-URI .* has white space/,
  "files/warcio.js/example-url-agnostic-revisit.warc.gz": /behind the block stand 0 bytes/,
  "files/resiliparse/clipped.warc.gz": /ends within a gzip member|no record was found/,
};

/** Every file of ours begins with warcinfo; others' need not. */
const OURS_ONLY = /the first record is of type/;

const facts = CORPORA_ABSENT === undefined ? corpusLines<Fact>(`${FOLDER}files.jsonl`) : [];
const parts = (file: string) => ({
  files: systemFiles,
  gunzip: nativeGunzip,
  digest: nativeDigest,
  path: corpusPath(FOLDER + file),
});

async function inspect(file: string): Promise<{ records: number; problems: string[] }> {
  const problems: string[] = [];
  const steps = checkFile(parts(file));
  for (;;) {
    const step = await steps.next();
    if (step.done) return { records: step.value, problems };
    problems.push(step.value.replace(/^.*?:\d+: /, ""));
  }
}

test("warc files: every file is read to its end", async () => {
  for (const { file } of facts) {
    for await (const step of readWarc(parts(file))) assert.ok("fault" in step || step.block.length >= 0);
  }
}, { skip: CORPORA_ABSENT });

test("warc files: records and verdicts agree with warcio, or the difference is explained", async () => {
  for (const { file, warcio_check: known } of facts) {
    // ARC is the format before WARC: we say that it isn't ours, and that is all.
    if (!known || /\.arc(\.gz)?$/.test(file)) continue;
    const { records, problems } = await inspect(file);
    if (!(file in OTHER_COUNT)) assert.equal(records, known.records_seen, `records of ${file}`);
    const serious = problems.filter((problem) => !OURS_ONLY.test(problem) && !OTHER_VERDICT[file]?.test(problem));
    assert.equal(serious.length > 0, known.exit !== 0, `${file}: warcio exits ${known.exit}, we say ${serious}`);
  }
}, { skip: CORPORA_ABSENT });

test("warc files: what isn't WARC is a problem, not a crash", async () => {
  for (const { file } of facts.filter(({ file }) => /\.arc(\.gz)?$|format\/gzip\/\w+\.gz$/.test(file))) {
    assert.ok((await inspect(file)).problems.length > 0, file);
  }
}, { skip: CORPORA_ABSENT });
