/**
 * The typed door's page scan (wit/core.wit, interface pages), over the canonical ABI.
 * Invariant: the same answers as the raw door (door_scan.ts), from the same code.
 */

import { UTF_8 } from "./charset/ids";
import { release, RETURN_AREA, returnList } from "./abi";
import { setQueryCharset } from "./html/query_encoding";
import { listenTo, scanPage } from "./html/scan";
import { OUTPUT, reserve } from "./memory/buffers";
import { simhash } from "./text/simhash";

/** Bytes of `page-link`: two strings, a case, three strings. */
const LINK: usize = 44;
/** Bytes of a row of html/answer.ts. */
const ROW: usize = 40;
/** Bytes of `page-facts`. */
const FACTS: usize = 72;

export function pages_scan(
  html: usize,
  htmlLength: usize,
  url: usize,
  urlLength: usize,
  token: usize,
  tokenLength: usize,
  wants: u32,
): usize {
  setQueryCharset(UTF_8);
  listenTo(token, tokenLength);
  const header = scanPage(html, htmlLength, url, urlLength, wants);
  release(html, htmlLength);
  release(url, urlLength);
  release(token, tokenLength);
  memory.fill(RETURN_AREA, 0, FACTS);
  const links = header == 0 ? 0 : reserve(OUTPUT, <usize>load<u32>(header) * LINK);
  if (header == 0 || (links == 0 && load<u32>(header) != 0)) store<u8>(RETURN_AREA, 1, 46);
  else writeFacts(header, links);
  return RETURN_AREA;
}

/** Copies the list at `word` of the header to `offset`. */
function copyList(header: usize, word: usize, offset: usize): void {
  returnList(offset, load<u32>(header + (word << 2)), load<u32>(header + (word << 2), 4));
}

function writeFacts(header: usize, links: usize): void {
  const count: usize = load<u32>(header);
  writeLinks(header, count, links);
  returnList(0, links, count);
  copyList(header, 11, 8);
  copyList(header, 7, 16);
  copyList(header, 9, 24);
  store<u8>(RETURN_AREA, load<u32>(header, 56) != 0 ? 1 : 0, 32);
  copyList(header, 13, 36);
  const flags = load<u32>(header, 24);
  store<u8>(RETURN_AREA, <u8>(flags & 1), 44);
  store<u8>(RETURN_AREA, <u8>((flags >> 1) & 1), 45);
  store<u8>(RETURN_AREA, <u8>((flags >> 2) & 1), 46);
  store<u64>(RETURN_AREA, load<u64>(header, 64), 48);
  store<u64>(RETURN_AREA, load<u64>(header, 72), 56);
  store<u32>(RETURN_AREA, load<u32>(header, 60), 64);
}

function writeLinks(header: usize, count: usize, links: usize): void {
  const urls: usize = load<u32>(header, 4);
  const strings: usize = load<u32>(header, 12);
  const rows: usize = load<u32>(header, 20);
  let url: usize = 0;
  let text: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const row = rows + i * ROW;
    const link = links + i * LINK;
    const raw: usize = load<u32>(row, 12);
    const rel: usize = load<u32>(row, 16);
    store<u32>(link, <u32>(urls + url));
    store<u32>(link, <u32>(load<u32>(row) - url), 4);
    store<u32>(link, <u32>(strings + text), 8);
    store<u32>(link, <u32>(raw - text), 12);
    store<u8>(link, load<u8>(row, 20), 16);
    store<u32>(link, <u32>(strings + raw), 20);
    store<u32>(link, <u32>(rel - raw), 24);
    const language: usize = load<u32>(row, 24);
    store<u32>(link, <u32>(strings + rel), 28);
    store<u32>(link, <u32>(language - rel), 32);
    store<u32>(link, <u32>(strings + language), 36);
    store<u32>(link, <u32>(<usize>load<u32>(row, 28) - language), 40);
    url = load<u32>(row);
    text = load<u32>(row, 28);
  }
}

export function pages_simhash(ptr: usize, len: usize): u64 {
  const hash = simhash(ptr, len);
  release(ptr, len);
  return hash;
}
