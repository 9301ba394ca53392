/**
 * All that is known of one URL: href, key, SURT, host, fingerprint.
 * Invariant: a URL that parses has an href; the rest is there only where it has a key.
 */

import { xxh64 } from "../hash/xxh64";
import { E_BAD_BASE, E_URL_TOO_LONG } from "./error";
import { Key, normalize } from "./normalize";
import { KIND_HTTP, KIND_HTTPS, KIND_OTHER, url } from "./parts";
import { clearBase, resolve, setBase } from "./resolve";
import { State } from "./state";
import { makeSurt, surtPtr } from "./surt";
import { reserve, TEXT } from "../memory/buffers";

export class Facts {
  static href: usize = 0;
  static hrefLength: usize = 0;
  static key: usize = 0;
  static keyLength: usize = 0;
  static surt: usize = 0;
  static surtLength: usize = 0;
  static host: usize = 0;
  static hostLength: usize = 0;
  static fingerprint: u64 = 0;
}

/** Fills `Facts`: 0, or why the URL has none. `baseAt` 0 = no base. http(s) hrefs longer than `maxBytes` are refused. */
export function findFacts(p: usize, length: usize, baseAt: usize, baseLength: usize, maxBytes: usize, rules: u32): i32 {
  clearBase();
  if (baseAt != 0 && setBase(baseAt, baseLength) < 0) return E_BAD_BASE;
  const parsed = resolve(p, length);
  clearBase();
  if (parsed < 0) return parsed;
  const isHttp = url.kind == KIND_HTTP || url.kind == KIND_HTTPS;
  if (isHttp && <usize>url.queryEnd > maxBytes) return E_URL_TOO_LONG;
  Facts.href = State.start;
  Facts.hrefLength = parsed;
  Facts.host = State.start + url.hostStart;
  Facts.hostLength = isHttp ? <usize>(url.hostEnd - url.hostStart) : 0;
  Facts.keyLength = 0;
  // Archives index records such as "dns:" and "warcinfo:" by the URI itself.
  Facts.surt = State.start;
  Facts.surtLength = url.kind == KIND_OTHER ? <usize>parsed : 0;
  Facts.fingerprint = 0;
  return isHttp ? findKey(rules) : 0;
}

function findKey(rules: u32): i32 {
  const length = normalize(rules);
  // Userinfo: the URL stands, but it has no key and is never fetched.
  if (length < 0) return 0;
  Facts.keyLength = length;
  Facts.fingerprint = xxh64(Key.start, length);
  Facts.key = reserve(TEXT, length);
  memory.copy(Facts.key, Key.start, length);
  Facts.surtLength = max(makeSurt(), 0);
  Facts.surt = surtPtr();
  return 0;
}
