/**
 * The detector on files that others collected and labelled. A charset that decodes a file to the same text counts as
 * right. Labels without an encoding in the standard can't be answered; they are listed.
 */

import assert from "node:assert/strict";
import { charsetOf } from "../../core-wasm/charset.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface Labelled {
  readonly encoding_dir: string;
  readonly file: string;
  readonly data_base64: string;
}

/** Labels that the Encoding Standard has under another name. */
const NAMES: Readonly<Record<string, string>> = {
  "CP932": "shift_jis",
  "CP949": "euc-kr",
  "MacCyrillic": "x-mac-cyrillic",
  "utf-8-sig": "utf-8",
  "UTF-16": "utf-16",
};

/** Labels without a decoder in the standard: pages in them can't be read by a browser either. */
const NO_DECODER = ["EUC-TW", "IBM855", "Johab", "UTF-32", "UTF-32BE", "UTF-32LE", "iso-2022-kr"];

/** Files that are taken for another charset, by label and name. */
const WRONG: readonly string[] = [];

const core = await loadCore();

function bytesOf({ data_base64 }: Labelled): Uint8Array {
  return Uint8Array.from(atob(data_base64), (letter) => letter.charCodeAt(0));
}

/** The standard's name of a label, which may have a language after it. */
function wantedOf({ encoding_dir: label }: Labelled): string | undefined {
  const name = /^(iso-8859-\d+|windows-\d+)-/.exec(label)?.[1] ?? label;
  return NO_DECODER.includes(label) ? undefined : NAMES[label] ?? charsetOf(name);
}

/** What a page of these bytes, which says nothing, would be read as: its byte order mark stands above the detector. */
function isRight(bytes: Uint8Array, wanted: string): boolean {
  const { charset } = core.scan(bytes, { url: "http://e.org/", text: false });
  if (charset === wanted || (wanted === "utf-16" && charset.startsWith(wanted))) return true;
  const found = core.detect(bytes);
  return found === wanted || core.decode(bytes, found) === core.decode(bytes, wanted);
}

test("detector: labelled files", () => {
  const wrong: string[] = [];
  let compared = 0;
  for (const source of corpusLines<Labelled>("5-html/charset-detect/chardet-labelled.jsonl")) {
    const wanted = wantedOf(source);
    if (wanted === undefined) continue;
    compared++;
    if (!isRight(bytesOf(source), wanted)) wrong.push(`${source.encoding_dir}/${source.file}`);
  }
  assert.deepEqual(wrong, WRONG);
  assert.ok(compared >= 150, `only ${compared} were compared`);
}, { skip: CORPORA_ABSENT });

/** From a little before the first byte beyond ASCII until there were `count` of them. */
function excerpt(bytes: Uint8Array, count: number): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  let end = first;
  for (let met = 0; end < bytes.length && met < count; end++) if (bytes[end]! >= 0x80) met++;
  return bytes.subarray(Math.max(0, first - 20), end + 1);
}

test("detector: a few words are enough for most", () => {
  const shares: Readonly<Record<number, number>> = { 16: 0.9, 64: 0.95, 256: 0.98 };
  for (const [count, share] of Object.entries(shares)) {
    let right = 0;
    let compared = 0;
    for (const source of corpusLines<Labelled>("5-html/charset-detect/chardet-labelled.jsonl")) {
      const wanted = wantedOf(source);
      const bytes = bytesOf(source);
      if (wanted === undefined || /utf-|2022/.test(wanted) || !bytes.some((byte) => byte >= 0x80)) continue;
      const part = excerpt(bytes, Number(count));
      compared++;
      const found = core.detect(part);
      if (found === wanted || core.decode(part, found) === core.decode(part, wanted)) right++;
    }
    assert.ok(compared >= 130 && right >= compared * share, `${count} bytes: ${right} of ${compared}, wanted ${share}`);
  }
}, { skip: CORPORA_ABSENT });

/** Sentences that aren't in what the detector learnt from. The Macintosh's charsets need more than one to be believed. */
const SENTENCES: readonly (readonly [text: string, ...charsets: string[]])[] = [
  ["Der Zug nach München fährt heute später, weil es draußen stürmt.", "windows-1252"],
  ["Le garçon a mangé des crêpes à la fête, où il était très gâté.", "windows-1252"],
  ["El niño comió piñas y después durmió en el sillón.", "windows-1252"],
  ["Zażółć gęślą jaźń, a potem pójdźmy na łąkę.", "windows-1250", "iso-8859-2"],
  ["Příliš žluťoučký kůň úpěl ďábelské ódy u řeky.", "windows-1250", "iso-8859-2"],
  ["Árvíztűrő tükörfúrógép, őszi szőlő és hűvös esték.", "windows-1250", "iso-8859-2"],
  ["Pijamalı hasta yağız şoföre çabucak güvendi, öğleden sonra.", "windows-1254"],
  ["Съешь же ещё этих мягких французских булок", "windows-1251", "koi8-r", "ibm866", "iso-8859-5"],
  ["Чуєш їх, доцю, га? Кумедна ж ти, прощайся без ґольфів", "windows-1251", "koi8-u"],
  ["Η γρήγορη καφέ αλεπού πηδάει πάνω από το σκυλί", "windows-1253", "iso-8859-7"],
  ["דג סקרן שט בים מאוכזב ולפתע מצא חברה", "windows-1255"],
  ["نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر", "windows-1256", "iso-8859-6"],
  ["เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์", "windows-874"],
  ["今天天气很好，我们一起去公园散步，晚上再看电影。", "gbk"],
  ["今天天氣很好，我們一起去公園散步，晚上再看電影。", "big5"],
  ["今日は天気がいいので、公園まで散歩しましょう。", "shift_jis", "euc-jp", "iso-2022-jp"],
  ["오늘은 날씨가 좋아서 공원까지 산책을 했습니다.", "euc-kr"],
];

test("detector: sentences in the charsets that it knows of", () => {
  for (const [text, ...charsets] of SENTENCES) {
    for (const charset of charsets) {
      const bytes = core.encode(`<html><title>${text}</title>`, charset);
      assert.equal(core.decode(bytes, core.detect(bytes)), `<html><title>${text}</title>`, `${charset}: ${text}`);
    }
  }
});
