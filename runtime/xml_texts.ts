/**
 * The texts of the elements of one name, out of the small XML documents that stores answer with.
 * Invariant: never fails; what is no XML has none.
 */

import { Parser } from "htmlparser2";

/** In the order of the document, entities resolved. */
export function xmlTexts(xml: string, name: string): string[] {
  const texts: string[] = [];
  let open = 0;
  const parser = new Parser({
    onopentag: (tag) => {
      if (tag === name && open++ === 0) texts.push("");
    },
    ontext: (text) => {
      if (open > 0) texts[texts.length - 1] += text;
    },
    onclosetag: (tag) => {
      if (tag === name) open--;
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.end(xml);
  return texts;
}
