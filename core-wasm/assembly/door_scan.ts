/**
 * The raw door's page scan. The host writes the page to HTML_PAGE, its URL to INPUT_2 and the product token to INPUT_3
 * (addresses by raw_reserve), calls raw_scan, and reads the header (html/answer.ts).
 */

import { HTML_PAGE } from "./html/buffers";
import { listenTo, scanPage } from "./html/scan";
import { prepareAttributes } from "./html/attributes";
import { prepareElements } from "./html/elements";
import { resetPage } from "./html/page";
import { setQueryCharset } from "./html/query_encoding";
import { openRawText } from "./html/raw_text";
import { dumpLength, dumpPtr, startDump, stopDump } from "./html/token_dump";
import { tokenize } from "./html/tokenizer";
import { INPUT_2, INPUT_3, reserveKept } from "./memory/buffers";
import { simhash } from "./text/simhash";

/**
 * The header's address; 0 = no memory, or the page is beyond MAX_PAGE. `wants`: 1 = embeds, 2 = forms, 8 = no
 * text, 16 = XHTML, and from bit 8 on the number of the page's charset (charset/ids.ts), in which queries are.
 */
export function raw_scan(pageLen: usize, urlLen: usize, tokenLen: usize, wants: u32): usize {
  setQueryCharset((wants >> 8) & 0xff);
  listenTo(reserveKept(INPUT_3, tokenLen), tokenLen);
  return scanPage(reserveKept(HTML_PAGE, pageLen), pageLen, reserveKept(INPUT_2, urlLen), urlLen, wants & 0xff);
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
