/**
 * The raw door's page scan. The host writes the page to HTML_PAGE, its URL to INPUT_2 and the product token to INPUT_3
 * (addresses by raw_reserve), calls raw_scan, and reads the header (html/answer.ts).
 */

import { HTML_ENCODER, HTML_LEGACY, HTML_PAGE } from "./html/buffers";
import { listenTo, scanPage } from "./html/scan";
import { prepareAttributes } from "./html/attributes";
import { prepareElements } from "./html/elements";
import { resetPage } from "./html/page";
import { setQueryTable } from "./html/query_encoding";
import { openRawText } from "./html/raw_text";
import { dumpLength, dumpPtr, startDump, stopDump } from "./html/token_dump";
import { tokenize } from "./html/tokenizer";
import { INPUT_2, INPUT_3, reserve, reserveKept } from "./memory/buffers";
import { simhash } from "./text/simhash";
import { fromWindows1252, isCutOff, repair, validPrefix } from "./text/utf8";

/**
 * The header's address; 0 = no memory, or the page is beyond MAX_PAGE. `wants`: 1 = embeds, 2 = forms, 4 = HTML_ENCODER
 * has the encoder of the page's charset (query_encoding.ts), 8 = no text, 16 = XHTML.
 */
export function raw_scan(pageLen: usize, urlLen: usize, tokenLen: usize, wants: u32): usize {
  setQueryTable((wants & 4) != 0 ? reserveKept(HTML_ENCODER, 0) : 0);
  listenTo(reserveKept(INPUT_3, tokenLen), tokenLen);
  return scanPage(reserveKept(HTML_PAGE, pageLen), pageLen, reserveKept(INPUT_2, urlLen), urlLen, wants);
}

/** For the conformance tests: the tokens of HTML_PAGE (html/token_dump.ts), from `state`, after a start tag named by INPUT_3. */
export function raw_tokens(pageLen: usize, state: u32, lastTagLen: usize): usize {
  const page = reserveKept(HTML_PAGE, pageLen);
  const name = reserveKept(INPUT_3, lastTagLen);
  if (page == 0 || !prepareElements() || !prepareAttributes(pageLen)) return 0;
  resetPage(0);
  openRawText(name, name + lastTagLen);
  startDump();
  tokenize(page, page + pageLen, state);
  stopDump();
  return dumpPtr();
}

/** Bytes of the tokens that the last raw_tokens wrote. */
export function raw_tokensLength(): usize {
  return dumpLength();
}

export function raw_simhash(ptr: usize, len: usize): u64 {
  return simhash(ptr, len);
}

/**
 * Length of HTML_PAGE as UTF-8, -1 when it isn't. `cut`: the page goes on beyond these bytes, so that a last sequence
 * without its end is no fault; it is left out.
 */
export function raw_utf8(pageLen: usize, cut: bool): i32 {
  const page = reserveKept(HTML_PAGE, pageLen);
  const valid = validPrefix(page, pageLen);
  return valid == pageLen || (cut && isCutOff(page + valid, pageLen - valid)) ? <i32>valid : -1;
}

/** Decodes HTML_LEGACY (len bytes) into HTML_PAGE; returns the bytes there. `windows` = windows-1252, else UTF-8. */
export function raw_decode(len: usize, windows: bool): usize {
  const from = reserveKept(HTML_LEGACY, len);
  const page = reserve(HTML_PAGE, len * 3 + 16);
  if (from == 0 || page == 0) return 0;
  return windows ? fromWindows1252(from, len, page) : repair(from, len, page);
}
