/**
 * Finds a text in a text in linear time: the platform's indexOf is quadratic for some needles, and here both come from
 * strangers.
 * Invariant: the same answer as indexOf; time O(haystack + needle).
 */

/** Up to this length a needle costs at most so many comparisons a character. */
const SHORT = 16;

export function findIn(haystack: string, needle: string, from: number): number {
  if (needle.length > haystack.length - from) return needle === "" && from <= haystack.length ? from : -1;
  if (needle.length <= SHORT) return haystack.indexOf(needle, from);
  const borders = borderTable(needle);
  let matched = 0;
  for (let at = from; at < haystack.length; at++) {
    const unit = haystack.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix the length of its longest proper prefix that is also its suffix (Knuth, Morris, Pratt). */
function borderTable(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let border = 0;
  for (let at = 1; at < needle.length; at++) {
    const unit = needle.charCodeAt(at);
    while (border > 0 && needle.charCodeAt(border) !== unit) border = borders[border - 1]!;
    if (needle.charCodeAt(border) === unit) border++;
    borders[at] = border;
  }
  return borders;
}
