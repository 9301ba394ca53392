import assert from "node:assert/strict";
import { charsetOf, declaredCharset } from "./charset.ts";
import { loadCore } from "./mod.ts";
import { test } from "../tests/support/test.ts";

const encoder = new TextEncoder();
const core = await loadCore();

function declared(page: string, contentType?: string): string | undefined {
  return declaredCharset(encoder.encode(page), contentType)?.name;
}

/** The charset and title of a page, whose letters are its bytes. */
function scanned(page: string, contentType?: string): { charset: string; title: string } {
  const bytes = Uint8Array.from(page, (letter) => letter.charCodeAt(0));
  const facts = core.scan(bytes, { url: "http://e.org/", ...(contentType === undefined ? {} : { contentType }) });
  return { charset: facts.charset, title: facts.title };
}

test("charset: a byte order mark stands above the header, the header above meta", () => {
  assert.equal(declared("\ufeff<meta charset=koi8-r>", "text/html; charset=koi8-u"), "utf-8");
  assert.equal(declared("<meta charset=koi8-r>", "text/html; charset=koi8-u"), "koi8-u");
  assert.equal(declared("<meta charset=koi8-r>", "text/html"), "koi8-r");
  assert.equal(declared("<p>", "text/html"), undefined);
});

test("charset: a header's label that doesn't exist is no declaration", () => {
  assert.equal(declared("<meta charset=koi8-r>", "text/html; charset=nonsense"), "koi8-r");
  assert.equal(declared("<p>", 'text/html;charset="UTF-8"'), "utf-8");
  assert.equal(declared("<p>", "text/html; charset = 'latin1' ; x=y"), "windows-1252");
});

test("charset: meta without http-equiv has no say by its content", () => {
  assert.equal(declared('<meta content="text/html; charset=koi8-r">'), undefined);
  assert.equal(declared('<meta content="text/html; charset=koi8-r" http-equiv=Content-TYPE>'), "koi8-r");
  assert.equal(declared("<script>'<meta charset=big5>'</script>"), "big5");
});

test("charset: an XML declaration counts where no meta does", () => {
  assert.equal(declared('<?xml version="1.0" encoding="iso-8859-2"?><html>'), "iso-8859-2");
  assert.equal(declared('<?xml version="1.0" encoding="iso-8859-2"?><meta charset=koi8-r>'), "koi8-r");
  assert.equal(declared("<\0?\0x\0m\0l\0"), "utf-16le");
});

test("charset: labels are found in any case and with white space around", () => {
  assert.equal(charsetOf(" \tLatin1\n"), "windows-1252");
  assert.equal(charsetOf("utf8"), "utf-8");
  assert.equal(charsetOf("utf-7"), undefined);
  assert.equal(charsetOf(""), undefined);
});

test("charset: an undeclared page is UTF-8 where it is valid, else what the detector says", () => {
  assert.deepEqual(scanned("<title>\xc3\xa9\xe2\x82\xac</title>"), { charset: "utf-8", title: "é€" });
  assert.deepEqual(scanned("<title>caf\xe9</title>"), { charset: "windows-1252", title: "café" });
  assert.deepEqual(scanned("<title>ascii</title>"), { charset: "utf-8", title: "ascii" });
  assert.deepEqual(scanned("<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>"), { charset: "windows-1251", title: "Привет" });
  const mostly = `<title>${"\xd0\x9f\xd1\x80".repeat(4)}\xd0</title>`;
  assert.deepEqual(scanned(mostly), { charset: "utf-8", title: "ПрПрПрПр\ufffd" });
});

test("charset: ISO-2022-JP and UTF-16 are told from ASCII where nothing is declared", () => {
  assert.deepEqual(scanned("<title>\x1b$B0!\x1b(B</title>"), { charset: "iso-2022-jp", title: "亜" });
  assert.equal(scanned("<title>\x1b$B0!\x1b(B</title>", "text/html;charset=utf-8").charset, "utf-8");
  assert.equal(scanned("<title>\x1b$B0\x1b(B</title>").charset, "utf-8");
  const wide = (text: string) => Array.from(text, (letter) => `${letter}\0`).join("");
  assert.deepEqual(scanned(wide("<title>\xe9t\xe9</title>")), { charset: "utf-16le", title: "été" });
  assert.deepEqual(scanned(`\0${wide("<title>a</title>").slice(0, -1)}`), { charset: "utf-16be", title: "a" });
  assert.equal(scanned("<title>a\0b</title>").charset, "utf-8");
});

const KOI8_TITLE = "\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2";

test("charset: declared as UTF-8 but in another one, a page is read all the same", () => {
  for (const declared of ["utf-8", "gb2312", "big5"]) {
    const page = `<meta charset=${declared}><title>${KOI8_TITLE}</title>`;
    assert.deepEqual(scanned(page), { charset: "koi8-r", title: "Привет, мир" }, declared);
  }
  assert.equal(scanned("<title>caf\xe9</title>", "text/html; charset=utf-8").title, "café");
});

test("charset: where the bytes contradict the header, the page's own declaration counts before the detector", () => {
  const page = "<meta charset=windows-1255><title>\xf9\xec\xed</title>";
  assert.deepEqual(scanned(page, "text/html; charset=utf-8"), { charset: "windows-1255", title: "שלם" });
  assert.equal(
    scanned("<meta charset=windows-1255><title>\xd7\xa9</title>", "text/html; charset=utf-8").charset,
    "utf-8",
  );
});

test("charset: declared as EUC-JP but UTF-8 in truth", () => {
  const page = "<meta charset=euc-jp><title>\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x9a</title>";
  assert.deepEqual(scanned(page), { charset: "utf-8", title: "日本語のペ" });
});

test("charset: a declaration of one byte a character stands, as in browsers: no bytes contradict it", () => {
  const page = "<title>\xc3\xa9</title>";
  assert.deepEqual(scanned(page, "text/html; charset=iso-8859-1"), { charset: "windows-1252", title: "Ã©" });
  assert.deepEqual(scanned(`<meta charset=utf-8>${page}`, "text/html; charset=iso-8859-1"), {
    charset: "windows-1252",
    title: "Ã©",
  });
});

test("charset: a byte order mark is believed whatever follows", () => {
  assert.deepEqual(scanned(`\xef\xbb\xbf<title>${KOI8_TITLE}`).charset, "utf-8");
});

test("charset: broken UTF-8 that was declared is repaired as a browser does", () => {
  for (
    const broken of [
      "\xe2\x82",
      "\xe2\x82A",
      "\xf0\x9f\x98A",
      "\xc0\xaf",
      "\xed\xa0\x80",
      "\xf4\x90\x80\x80",
      "\xff\xfe",
    ]
  ) {
    const bytes = Uint8Array.from(`x${broken}y`, (letter) => letter.charCodeAt(0));
    const wanted = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    assert.deepEqual(scanned(`<title>x${broken}y</title>`, "text/html; charset=utf-8"), {
      charset: "utf-8",
      title: wanted,
    });
  }
});

test("charset: a page that is cut within a character keeps its charset", () => {
  const bytes = Uint8Array.from("<title>\xba\xe9</title><p>\xba\xe9", (letter) => letter.charCodeAt(0));
  const options = { url: "http://e.org/", contentType: "text/html; charset=gbk", maxBytes: bytes.length - 1 };
  assert.equal(core.scan(bytes, options).charset, "gbk");
});

test("charset: legacy pages and their late declarations", () => {
  assert.deepEqual(scanned("<meta charset=gb2312><title>\xba\xe9</title>"), { charset: "gbk", title: "洪" });
  const late = `<!--${"x".repeat(2000)}--><meta charset=koi8-r><title>\xc1\xc2</title>`;
  assert.deepEqual(scanned(late), { charset: "koi8-r", title: "аб" });
  assert.deepEqual(scanned("\xff\xfe<\0t\0i\0t\0l\0e\0>\0a\0"), { charset: "utf-16le", title: "a" });
  assert.equal(scanned("<title>x", "text/html; charset=iso-2022-kr").charset, "replacement");
});

test("charset: E12, a query is in the page's charset, a path in UTF-8, pages in UTF-16 use UTF-8", () => {
  const page = (charset: string) =>
    `<meta charset=${charset}><a href="3.asp?D=\xba\xe9"><a href="\xba\xe9?a#\xba\xe9">`;
  const bytes = Uint8Array.from(page("gb2312"), (letter) => letter.charCodeAt(0));
  const urls = core.scan(bytes, { url: "http://e.org/" }).links.map((link) => link.url);
  assert.deepEqual(urls, ["http://e.org/3.asp?D=%BA%E9", "http://e.org/%E6%B4%AA?a#%E6%B4%AA"]);
  const wide = '\ufeff<a href="?D=洪">';
  const utf16 = new Uint8Array(wide.length * 2);
  for (let i = 0; i < wide.length; i++) new DataView(utf16.buffer).setUint16(i * 2, wide.charCodeAt(i), true);
  assert.equal(core.scan(utf16, { url: "http://e.org/" }).links[0]?.url, "http://e.org/?D=%E6%B4%AA");
});

test("charset: the encoder of one page is not used for the next", () => {
  const scan = (charset: string) =>
    core.scan(encoder.encode('<a href="?&eacute;&euro;&#x6d2a;">'), {
      url: "http://e.org/",
      contentType: `text/html;charset=${charset}`,
    })
      .links[0]?.url;
  assert.equal(scan("latin1"), "http://e.org/?%E9%80%26%2327946%3B");
  assert.equal(scan("utf-8"), "http://e.org/?%C3%A9%E2%82%AC%E6%B4%AA");
  assert.equal(scan("gbk"), "http://e.org/?%A8%A6%80%BA%E9");
  assert.equal(scan("latin1"), "http://e.org/?%E9%80%26%2327946%3B");
});

test("charset: E12, ISO-2022-JP's states and gb18030's four bytes in queries", () => {
  const query = (charset: string, value: string) =>
    core.scan(encoder.encode(`<a href="?q=${value}&r#${value}">`), {
      url: "http://e.org/",
      contentType: `text/html;charset=${charset}`,
    }).links[0]?.url;
  assert.equal(query("iso-2022-jp", "&#20124;a"), "http://e.org/?q=%1B$B0!%1B(Ba&r#%E4%BA%9Ca");
  // Half of this pair is `#`, half of the next is `"`.
  assert.equal(query("iso-2022-jp", "&#65283;&#12290;"), "http://e.org/?q=%1B$B!t!%23%1B(B&r#%EF%BC%83%E3%80%82");
  assert.equal(query("iso-2022-jp", "&euro;"), "http://e.org/?q=%26%238364%3B&r#%E2%82%AC");
  assert.equal(query("gb18030", "&eth;&#x1f600;"), "http://e.org/?q=%810%8A8%949%FC6&r#%C3%B0%F0%9F%98%80");
  assert.equal(query("gbk", "&eth;"), "http://e.org/?q=%26%23240%3B&r#%C3%B0");
  assert.equal(query("x-user-defined", "&#xf780;&eacute;"), "http://e.org/?q=%80%26%23233%3B&r#%EF%9E%80%C3%A9");
});

test("charset: a text that the core has no room for is refused, not answered as an empty one", () => {
  const bytes = new Uint8Array(44_739_238).fill(0x61);
  assert.equal(core.decode(bytes.subarray(0, -1), "gbk").length, bytes.length - 1);
  assert.throws(() => core.decode(bytes, "gbk"), /^RangeError: Decoding 44739238 bytes at once failed/);
  const text = "a".repeat(16_777_215);
  assert.equal(core.encode(text.slice(1), "gbk").length, text.length - 1);
  assert.throws(() => core.encode(text, "gbk"), /^RangeError: Encoding 16777215 bytes at once failed/);
  assert.equal(core.decode(Uint8Array.of(0x1b, 0x28, 0x42), "iso-2022-jp"), "");
  assert.equal(core.encode("", "gbk").length, 0);
});
