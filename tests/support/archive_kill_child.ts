/**
 * A process that is to be killed: `FOLDER` repairs the archive there and appends to it without end, eight at once.
 * Invariant: a line (the record's place and the URL, as JSON) is printed only after its append was acknowledged.
 */

import { writeSync } from "node:fs";
import { argv, pid } from "node:process";
import { openArchive } from "../../edge/warc/archive.ts";
import { repairFolder } from "../../edge/warc/repair.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, nativeGzip, systemClock, systemRandom } from "../../runtime/node.ts";
import { sampleEntry } from "./archives.ts";

const folder = argv[2]!;
const place = { folder, storagePrefix: "", files: systemFiles };
await repairFolder({ ...place, gunzip: nativeGunzip });
const archive = await openArchive({
  ...place,
  gzip: nativeGzip,
  digest: nativeDigest,
  clock: systemClock,
  random: systemRandom,
  settings: {
    name: "killed",
    info: { software: "outrider/0", userAgent: "Outrider/0", robots: "RFC 9309", coreBuildHash: "", keyVersion: 1 },
    rotateBytes: 300_000,
    checkpointBytes: 100_000,
  },
});

let appended = 0;
async function appendOnAndOn(): Promise<void> {
  for (;;) {
    const url = `http://a.example/${pid}/${appended++}`;
    const body = new Uint8Array(20_000).map((_, i) => (i * appended * 2_654_435_761) >>> 24);
    const { record } = await archive.append(sampleEntry({ url, body }));
    writeSync(1, JSON.stringify({ url, record }) + "\n");
  }
}

await Promise.all(Array.from({ length: 8 }, appendOnAndOn));
