/**
 * Pages in legacy charsets: to UTF-8 in the core's memory, by its own decoders or by the platform's.
 * Invariant: both leave the same bytes in the same place.
 */

import { BUFFER, put, reserve } from "../core-wasm/buffers.ts";
import { charsetId } from "../core-wasm/charset_ids.ts";
import type { Core } from "../core-wasm/core.ts";
import { CoreSlot } from "../core-wasm/instance.ts";
import { loadArtefact } from "../core-wasm/load.ts";
import type { CoreRow } from "./report/core_row.ts";
import { measure } from "./interleaved.ts";

const TEXTS: Readonly<Record<string, string>> = {
  "windows-1252": "Le garçon a mangé des crêpes à la fête, où il était très gâté. ",
  "windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
  "gbk": "今天天气很好，我们一起去公园散步，晚上再看电影。",
  "big5": "今天天氣很好，我們一起去公園散步，晚上再看電影。",
  "shift_jis": "今日は天気がいいので、公園まで散歩しましょう。",
  "euc-jp": "今日は天気がいいので、公園まで散歩しましょう。",
  "euc-kr": "오늘은 날씨가 좋아서 공원까지 산책을 했습니다. ",
};
const ITEMS = 600;
const VARIANTS = 4;

/** Half of its bytes are markup, more or less. Each variant begins elsewhere. */
function pageOf(core: Core, charset: string, variant: number): Uint8Array {
  const text = TEXTS[charset]!.repeat(3);
  const items = Array.from({ length: ITEMS }, (_, i) => {
    const from = (i * 7 + variant) % 20;
    return `<div class="item"><a href="/path/to/page?id=${i}" title="x">${text.slice(from, from + 60)}</a></div>\n`;
  });
  return core.encode(items.join(""), charset);
}

/** Rows per charset, ns a byte. */
export async function benchCharset(core: Core): Promise<CoreRow[]> {
  const { module, instantiate } = await loadArtefact();
  const slot = new CoreSlot(module, instantiate);
  const encoder = new TextEncoder();
  return Object.keys(TEXTS).flatMap((charset) => {
    const pages = Array.from({ length: VARIANTS }, (_, variant) => pageOf(core, charset, variant));
    const id = charsetId(charset);
    const platform = new TextDecoder(charset);
    const inCore = (turn: number) =>
      slot.run(({ raw }) => {
        const page = pages[turn % VARIANTS]!;
        put(raw, BUFFER.htmlLegacy, page);
        return raw.raw_decode(page.length, id);
      });
    const byPlatform = (turn: number) =>
      slot.run(({ raw }) => {
        const text = platform.decode(pages[turn % VARIANTS]);
        const address = reserve(raw, BUFFER.htmlPage, text.length * 3);
        return encoder.encodeInto(text, new Uint8Array(raw.memory.buffer, address, text.length * 3)).written;
      });
    return measure({
      name: `Decode a page in ${charset}, a byte`,
      opsPerCall: pages[0]!.length,
      candidates: { "JS: TextDecoder, encodeInto": byPlatform, "WASM: decoder": inCore },
    });
  });
}
