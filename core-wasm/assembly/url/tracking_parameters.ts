/**
 * Query parameters that only tell where a visitor came from: data. Names are compared without regard to ASCII case.
 * Invariant: changing these lists changes keys, so ../../key_version.ts must be bumped with them.
 */

/** Campaigns (Google Analytics, Matomo, HubSpot, Marketo), click identifiers of advertisers, mail tools, shares. */
const NAMES: string = " gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl fbclid msclkid " +
  "yclid ysclid _openstat twclid ttclid igshid igsh li_fat_id epik rdt_cid scclid sccid irclickid wickedid mc_cid " +
  "mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking vero_id vero_conv oly_anon_id oly_enc_id " +
  "rb_clickid s_cid ml_subscriber ml_subscriber_hash _kx ";
const PREFIXES: string = " utm_ pk_ piwik_ mtm_ hsa_ ";

/** The name (already percent-normalised) is a tracking parameter's. */
export function isTracking(p: usize, len: usize): bool {
  // The first letters of the lists: nearly every name is told apart here.
  return len >= 3 && len <= 24 && (found(NAMES, p, len, true) || found(PREFIXES, p, len, false));
}

// @ts-ignore: decorator
@inline
function unit(list: string, at: i32): u32 {
  return load<u16>(changetype<usize>(list) + (<usize>at << 1));
}

function found(list: string, p: usize, len: usize, whole: bool): bool {
  const first = lowered(p);
  const last = list.length - 1;
  for (let at = 0; at < last; at++) {
    if (unit(list, at) != 0x20 || unit(list, at + 1) != first) continue;
    let i: usize = 0;
    let q = at + 1;
    while (i < len && unit(list, q) == lowered(p + i)) {
      i++;
      q++;
    }
    if (unit(list, q) == 0x20 && (whole ? i == len : i > 0)) return true;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function lowered(p: usize): u32 {
  const c: u32 = load<u8>(p);
  return c - 65 < 26 ? c | 32 : c;
}
