/**
 * One page, one call: tokens, links, facts, text hashes.
 * Invariant: total; linear in the page; memory bounded by MAX_PAGE.
 */

import { answer, HEADER } from "./answer";
import { prepareAttributes } from "./attributes";
import { HTML_TEXT } from "./buffers";
import { prepareElements } from "./elements";
import { closeAnchor, resetLinks } from "./links";
import { resetPage, WANT_NO_TEXT } from "./page";
import { setProductToken } from "./robots_meta";
import { DATA } from "./states";
import { tokenize } from "./tokenizer";
import { xxh64 } from "../hash/xxh64";
import { reserve } from "../memory/buffers";
import { beginFold, folded, foldEnd, foldRoom } from "../text/fold";
import { simhash } from "../text/simhash";

/** Largest page: LIMITS.decodedBytes, three bytes for each when it was decoded. */
export const MAX_PAGE: usize = 30_000_000;

/** Scans UTF-8 [page, page + pageLen). Returns the address of the header (answer.ts); 0 without memory for it. */
export function scanPage(page: usize, pageLen: usize, url: usize, urlLen: usize, wants: u32): usize {
  if (pageLen > MAX_PAGE || !prepareElements() || !prepareAttributes(pageLen) || !resetLinks()) return 0;
  const room = foldRoom(pageLen);
  const text = reserve(HTML_TEXT, room);
  if (text == 0) return 0;
  resetPage(wants);
  beginFold(text, room);
  tokenize(page, page + pageLen, DATA);
  closeAnchor(foldEnd());
  const length = folded();
  store<u32>(HEADER, <u32>length, 60);
  store<u64>(HEADER, length == 0 ? 0 : simhash(text, length), 64);
  store<u64>(HEADER, (wants & WANT_NO_TEXT) != 0 ? 0 : xxh64(text, length), 72);
  return answer(url, urlLen) ? HEADER : 0;
}

/** The product token of the next scans; `ptr` must stay as it is until then. */
export function listenTo(ptr: usize, len: usize): void {
  setProductToken(ptr, len);
}
