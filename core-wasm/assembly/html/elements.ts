/**
 * The elements that matter to a page scan: what their content is to the tokenizer, whether they break foreign content,
 * whether they divide words, and a number for those whose attributes are read.
 */

import { reserve } from "../memory/buffers";
import { HTML_ELEMENTS } from "./buffers";
import { define, lookUp, TABLE_BYTES } from "./name_table";

// Low six bits: the element's number, 0 when nothing reads its attributes.
export const ELEMENT: u32 = 63;
export const A: u32 = 1;
export const AREA: u32 = 2;
export const BASE: u32 = 3;
export const LINK: u32 = 4;
export const META: u32 = 5;
export const IFRAME: u32 = 6;
export const FRAME: u32 = 7;
export const FORM: u32 = 8;
export const HTML: u32 = 9;
export const TITLE: u32 = 10;
export const IMG: u32 = 11;
export const SCRIPT: u32 = 12;
export const SOURCE: u32 = 13;
export const VIDEO: u32 = 14;
export const AUDIO: u32 = 15;
export const TRACK: u32 = 16;
export const EMBED: u32 = 17;
export const OBJECT: u32 = 18;
export const INPUT_ELEMENT: u32 = 19;
export const TEMPLATE: u32 = 20;
export const NOSCRIPT: u32 = 21;
export const TEXTAREA: u32 = 22;
export const XMP: u32 = 23;
export const SVG: u32 = 24;
export const MATH: u32 = 25;
export const FONT: u32 = 26;
export const STYLE: u32 = 27;
export const SVG_IMAGE: u32 = 28;
export const ANNOTATION: u32 = 29;
export const MGLYPH: u32 = 30;
export const MATH_TEXT: u32 = 31;
export const SVG_HTML: u32 = 32;
export const PARAGRAPH: u32 = 33;

/** What stands between the start tag and the end tag (WHATWG HTML 13.2.6.2 and .4). */
export const CONTENT: u32 = 7 << 6;
export const CONTENT_RCDATA: u32 = 1 << 6;
export const CONTENT_RAWTEXT: u32 = 2 << 6;
export const CONTENT_SCRIPT: u32 = 3 << 6;
export const CONTENT_PLAINTEXT: u32 = 4 << 6;

/** Its start tag ends foreign content (13.2.6.5, "A start tag whose tag name is one of"). */
export const BREAKS_OUT: u32 = 1 << 9;
/** Doesn't divide words: "<b>w</b>ord" is one. */
export const INLINE: u32 = 1 << 10;
/** Which of the counted elements it is, shifted; 0 = not counted. Those end foreign content around them. */
export const COUNTED: u32 = 16;

let table: usize = 0;

/** Prepares the table; false when there is no memory for it. */
export function prepareElements(): bool {
  if (table != 0) return true;
  const at = reserve(HTML_ELEMENTS, TABLE_BYTES);
  if (at == 0) return false;
  memory.fill(at, 0, TABLE_BYTES);
  defineNumbers(at);
  define(at, "title textarea", CONTENT_RCDATA);
  define(at, "style xmp iframe noembed noframes", CONTENT_RAWTEXT);
  define(at, "script", CONTENT_SCRIPT);
  define(at, "plaintext", CONTENT_PLAINTEXT);
  define(
    at,
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
      "ol p pre ruby s small span strong strike sub sup table tt u ul var",
    BREAKS_OUT,
  );
  define(
    at,
    "b big blockquote center code dd div dl dt em h1 h2 h3 h4 h5 h6 i li listing menu nobr ol pre ruby s small span strong " +
      "strike sub sup table tt u ul var a article aside button caption colgroup details fieldset figcaption figure font " +
      "footer form header label main nav noscript object option section select summary tbody td template tfoot th thead tr " +
      "video",
    1 << COUNTED,
    1 << COUNTED,
  );
  define(
    at,
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt ruby s samp small " +
      "span strike strong sub sup time tt u var wbr",
    INLINE,
  );
  table = at;
  return true;
}

function defineNumbers(at: usize): void {
  define(at, "a", A);
  define(at, "area", AREA);
  define(at, "base", BASE);
  define(at, "link", LINK);
  define(at, "meta", META);
  define(at, "iframe", IFRAME);
  define(at, "frame", FRAME);
  define(at, "form", FORM);
  define(at, "html", HTML);
  define(at, "title", TITLE);
  define(at, "img", IMG);
  define(at, "script", SCRIPT);
  define(at, "source", SOURCE);
  define(at, "video", VIDEO);
  define(at, "audio", AUDIO);
  define(at, "track", TRACK);
  define(at, "embed", EMBED);
  define(at, "object", OBJECT);
  define(at, "input", INPUT_ELEMENT);
  define(at, "template", TEMPLATE);
  define(at, "noscript", NOSCRIPT);
  define(at, "textarea", TEXTAREA);
  define(at, "xmp", XMP);
  define(at, "svg", SVG);
  define(at, "math", MATH);
  define(at, "font", FONT);
  define(at, "style", STYLE);
  define(at, "image", SVG_IMAGE);
  define(at, "annotation-xml", ANNOTATION);
  define(at, "mglyph malignmark", MGLYPH);
  define(at, "mi mo mn ms mtext", MATH_TEXT);
  define(at, "foreignobject desc", SVG_HTML);
  define(at, "p br", PARAGRAPH);
}

/** What is known of the element with this key (name_table.ts), 0 for others. */
export function elementOf(key: u64): u32 {
  return lookUp(table, key);
}
