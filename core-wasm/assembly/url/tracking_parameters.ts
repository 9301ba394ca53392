/**
 * Query parameters that only tell where a visitor came from: data. Names are compared without regard to ASCII case.
 * Invariant: sorted, so that names of one first letter stand together; changing the list changes keys, so
 * ../../key_version.ts must be bumped with it.
 */

import { lower } from "./bytes";

/**
 * Campaigns (Google Analytics, Matomo, HubSpot, Marketo), click identifiers of advertisers, mail tools, shares.
 * A name that ends in "*" stands for all that begin so and go on.
 */
const NAMES: string = " __hsfp __hssc __hstc _ga _gl _hsenc _hsmi _kx _openstat dclid epik fbclid gad_campaignid gad_source " +
  "gbraid gclid gclsrc hsa_* hsctatracking igsh igshid irclickid li_fat_id mc_cid mc_eid mkt_tok " +
  "ml_subscriber ml_subscriber_hash msclkid mtm_* oly_anon_id oly_enc_id piwik_* pk_* rb_clickid " +
  "rdt_cid s_cid sccid scclid srsltid ttclid twclid utm_* vero_conv vero_id wbraid wickedid yclid " +
  "ysclid ";

/** Where the names of each first letter begin, 0 = there are none. */
const firstAt: usize = memory.data(256, 8);
/** Which second letters they have, a bit each: most parameters are told from all names by that. */
const seconds: usize = memory.data(512, 8);

function fillIndex(): void {
  for (let at = NAMES.length - 3; at >= 0; at--) {
    if (unit(at) != 0x20) continue;
    const first = <usize>unit(at + 1);
    store<u16>(firstAt + (first << 1), <u16>(at + 1));
    const letters = seconds + (first << 2);
    store<u32>(letters, load<u32>(letters) | secondBit(unit(at + 2)));
  }
}

/** Letters have a bit of their own, near enough: others may share one. */
// @ts-ignore: decorator
@inline
function secondBit(second: u32): u32 {
  return <u32>1 << (second & 31);
}

// @ts-ignore: decorator
@inline
function unit(at: i32): u32 {
  return load<u16>(changetype<usize>(NAMES) + (<usize>at << 1));
}

/** The name (already percent-normalised) is a tracking parameter's. */
export function isTracking(p: usize, len: usize): bool {
  // No name has one letter only.
  if (len < 2) return false;
  const first = lower(load<u8>(p));
  if (first > 127 || (load<u32>(seconds + (<usize>first << 2)) & secondBit(load<u8>(p, 1))) == 0) return false;
  let at: i32 = load<u16>(firstAt + (<usize>first << 1));
  while (unit(at) == first) {
    let i: usize = 0;
    while (i < len && unit(at) == lower(load<u8>(p + i))) {
      i++;
      at++;
    }
    if ((i == len && unit(at) == 0x20) || (i < len && unit(at) == 0x2a)) return true;
    while (unit(at) != 0x20) at++;
    at++;
    if (at >= NAMES.length) break;
  }
  return false;
}

fillIndex();
