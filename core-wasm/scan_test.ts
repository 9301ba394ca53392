import assert from "node:assert/strict";
import { CoreSlot } from "./instance.ts";
import { loadArtefact } from "./load.ts";
import { loadCore } from "./mod.ts";
import type { ScanOptions } from "./mod.ts";
import { test } from "../tests/support/test.ts";

const core = await loadCore();
const encoder = new TextEncoder();
const PAGE_URL = "http://e.org/d/p.html?q";

function scan(html: string, options: Partial<ScanOptions> = {}) {
  return core.scan(encoder.encode(html), { url: PAGE_URL, ...options });
}

/** Kind and url of each link. */
function links(html: string, options: Partial<ScanOptions> = {}): string[] {
  return scan(html, options).links.map(({ kind, url }) => `${kind} ${url}`);
}

test("links: each element's own attribute, in page order", () => {
  const html =
    "<a href=a><area href=b><link rel=next href=c><iframe src=d></iframe><frame src=e><img src=n><form action=n>";
  assert.deepEqual(links(html), [
    "a http://e.org/d/a",
    "area http://e.org/d/b",
    "link http://e.org/d/c",
    "iframe http://e.org/d/d",
    "frame http://e.org/d/e",
  ]);
});

test("links: the first of two attributes counts, references are resolved, white space is stripped", () => {
  assert.deepEqual(links("<a href=x HREF=y>"), ["a http://e.org/d/x"]);
  const [link] = scan('<a href=" /s?a=1&amp;b=2&copy=3&copy;&#x41;\n&notin;\t">').links;
  assert.equal(link?.raw, " /s?a=1&b=2&copy=3©A\n∉\t");
  assert.equal(link?.url, "http://e.org/s?a=1&b=2&copy=3%C2%A9A%E2%88%89");
  assert.deepEqual(links("<a href='h\r\nttp://x.y/\0'>"), ["a http://x.y/%EF%BF%BD"]);
});

test("links: none in comments, scripts, styles, titles, text areas, templates; in noscript there are", () => {
  const hidden = "<!-- <a href=n> --><script>'<a href=n>'</script><style><a href=n></style><title><a href=n></title>" +
    "<textarea><a href=n></textarea><xmp><a href=n></xmp><noembed><a href=n></noembed><noframes><a href=n></noframes>" +
    "<iframe><a href=n></iframe><template><template></template><a href=n></template><![CDATA[<a href=n>]]>";
  // Outside foreign content CDATA is a comment that ends at its first `>`.
  assert.deepEqual(links(hidden), []);
  assert.deepEqual(links("<noscript><a href=y></noscript>"), ["a http://e.org/d/y"]);
  assert.deepEqual(links("<svg><![CDATA[<a href=n>]]><a href=y></svg>"), ["a http://e.org/d/y"]);
});

test("links: in XHTML a self-closing element is empty and CDATA is text", () => {
  const html = "<title/><script src='s'/><a href=x/><noscript/><textarea/><template/><a href=y/><![CDATA[<a href=n>]]>";
  assert.deepEqual(links(html), []);
  const xhtml = { contentType: "application/xhtml+xml; charset=utf-8" };
  assert.deepEqual(links(html.replaceAll("/>", " />"), xhtml), ["a http://e.org/d/x", "a http://e.org/d/y"]);
  assert.equal(scan("a<![CDATA[ <b> ]]>c", xhtml).textLength, "a <b> c".length);
});

test("links: what is no URL, or empty, is left out; other schemes are told", () => {
  assert.deepEqual(links("<a href><a href=''><a href=' \n'><a href='http://['><a href='http://e.org:99999'>"), []);
  assert.deepEqual(links("<a href=javascript:f()><a href=mailto:x@y><a href='data:,x'><a href='#f'>"), [
    "a javascript:f()",
    "a mailto:x@y",
    "a data:,x",
    "a http://e.org/d/p.html?q#f",
  ]);
});

test("links: rel is told in lower case; link elements for the page itself are embeds", () => {
  assert.equal(scan("<a rel=' NoFollow\n UGC ' href=x>").links[0]?.rel, "nofollow ugc");
  const heads = "<link rel=stylesheet href=s><link rel='shortcut ICON' href=i><link rel=preconnect href=//c>" +
    "<link rel='alternate' href=a><link rel='alternate stylesheet' href=t><link href=n>";
  assert.deepEqual(links(heads), ["link http://e.org/d/a", "link http://e.org/d/n"]);
  assert.deepEqual(links(heads, { embeds: true }), [
    "embed http://e.org/d/s",
    "embed http://e.org/d/i",
    "link http://e.org/d/a",
    "embed http://e.org/d/t",
    "link http://e.org/d/n",
  ]);
});

test("links: embeds of every kind, but never data: (E18)", () => {
  const html =
    "<img src='data:image/png;base64,AAAA' srcset='a.png 1x, b,c.png 2x,data:x 3x, d.png'><script src=e></script>" +
    "<source srcset=f><video src=g poster=h><audio src=i><track src=j><embed src=k><object data=l></object>" +
    "<input type=IMAGE src=m><input src=no><svg><image xlink:href=n></svg>";
  const names = "a.png b,c.png d.png e f g h i j k l m n".split(" ");
  assert.deepEqual(links(html, { embeds: true }), names.map((name) => `embed http://e.org/d/${name}`));
  assert.deepEqual(links(html), []);
});

test("links: forms whose method is GET, when asked for", () => {
  const html = "<form action=a></form><form method=POST action=n></form><form method=dialog action=n></form>" +
    "<form method=get action=b></form><form method=odd action=c></form><form action=''></form>";
  assert.deepEqual(links(html, { forms: true }), ["a", "b", "c"].map((name) => `form http://e.org/d/${name}`));
});

test("meta refresh: either order, any spelling, with a base (E62)", () => {
  const target = ["meta_refresh http://e.org/b/x"];
  for (
    const content of [
      "0;url=x",
      "5; URL = 'x'",
      ' 1.5 ,UrL="x" trailing',
      "0;x",
      "0 x",
      "3;\n url='x",
      ".;url=x",
      "0;url= x ",
    ]
  ) {
    const quoted = content.replaceAll('"', "&quot;");
    assert.deepEqual(links(`<base href=/b/><meta http-equiv=Refresh content="${quoted}">`), target, content);
    assert.deepEqual(links(`<meta content="${quoted}" http-equiv=REFRESH><base href=/b/>`), target, content);
  }
  for (const content of ["0", "", "url=x", "x;url=y", "0;url=", "0;url=''", "-1;url=x", "0x"]) {
    assert.deepEqual(links(`<meta http-equiv=refresh content="${content}">`), [], content);
  }
});

test("base: the first with href, over the page's URL, whatever stands before it (E15)", () => {
  assert.equal(scan("<a href=x><base target=t><base href=/f/><base href=/g/>").base, "http://e.org/f/");
  assert.deepEqual(links("<a href=x><base href=/f/>"), ["a http://e.org/f/x"]);
  for (const odd of ["javascript:0", "data:,x", "http://[", ""]) {
    assert.equal(scan(`<base href='${odd}'>`).base, PAGE_URL, odd);
  }
  assert.equal(scan("<base href=javascript:0><base href=/g/>").base, PAGE_URL);
  assert.equal(scan("<template><base href=/t/></template>").base, PAGE_URL);
  assert.deepEqual(links("<base href='mailto:x'><a href=y><a href=http://z/>"), ["a http://z/"]);
});

test("facts: title, language, canonical", () => {
  const page = scan(
    "<HTML Lang=de-CH><title>\n A &lt;b&gt;\u00a0 c </title><title>d</title><link rel='x canonical' href=/c?a&amp;b>",
  );
  assert.equal(page.title, "A <b> c");
  assert.equal(page.lang, "de-CH");
  assert.equal(page.canonical, "http://e.org/c?a&b");
  assert.equal(scan("<svg><title>no</title></svg><title>yes</title>").title, "yes");
  assert.equal(scan("<p>").canonical, undefined);
});

test("facts: a long title is cut at a character", () => {
  const { title } = scan(`<title>${"é".repeat(400)}</title>`);
  assert.equal(title, "é".repeat(256));
  assert.equal(scan(`<title>${"x ".repeat(400)}</title>`).title, "x ".repeat(256).trim());
  assert.equal(scan(`<title>a${"é".repeat(400)}</title>`).title, `a${"é".repeat(255)}`);
});

test("robots meta: names, tokens, sums", () => {
  const said = (html: string) => {
    const facts = scan(html, { productToken: "Outrider" });
    return (["noindex", "nofollow", "noarchive", "nosnippet"] as const).filter((rule) => facts[rule]).join(" ");
  };
  assert.equal(said("<meta name=ROBOTS content='NoIndex'>"), "noindex");
  assert.equal(said("<meta content=' follow ,NONE' name=' robots '>"), "noindex nofollow");
  assert.equal(said("<meta name=robots content=noindex><meta name=outrider content=nofollow>"), "noindex nofollow");
  assert.equal(
    said("<meta name=robots content='NOARCHIVE'><meta name=outrider content=nosnippet>"),
    "noarchive nosnippet",
  );
  assert.equal(said("<meta name=otherbot content=noarchive>"), "");
  assert.equal(said("<meta name=otherbot content=none><meta name=robots content='noindexing, max-snippet:5'>"), "");
  assert.equal(said("<meta name=robots><meta property=robots content=none><!--<meta name=robots content=none>-->"), "");
});

test("text: what is visible, folded; its hash and length", () => {
  const { textLength, textHash, simhash } = scan(
    "<head><title>T</title><style>s</style></head> <p>One</p><p>t<b>w</b>o &amp;\n\n <br>three<!-- c --></p><script>x</script>" +
      "<noscript>n</noscript><template>t</template><svg><style>s</style><text>four</text></svg><textarea>&lt;five&#0;",
  );
  const text = encoder.encode("One two & three four <five\ufffd");
  assert.equal(textLength, text.length);
  assert.equal(textHash, core.xxh64(text));
  assert.equal(simhash, core.simhash(text));
  assert.deepEqual([scan("").simhash, scan("").textLength], [0n, 0]);
  assert.equal(scan("<p>a b c", { text: false }).simhash, 0n);
});

test("simhash: near for near texts, far for others, also without spaces between words", () => {
  const distance = (a: string, b: string) => {
    const differing = core.simhash(encoder.encode(a)) ^ core.simhash(encoder.encode(b));
    return differing.toString(2).replaceAll("0", "").length;
  };
  const words = Array.from({ length: 300 }, (_, index) => `word${(index * 7919) % 997}`);
  const other = Array.from({ length: 300 }, (_, index) => `term${(index * 7907) % 991}`);
  const changed = words.with(150, "changed");
  assert.equal(distance(words.join(" "), words.join(", ").toUpperCase()), 0);
  assert.ok(distance(words.join(" "), changed.join(" ")) <= 6);
  assert.ok(distance(words.join(" "), other.join(" ")) >= 8);
  const ideographs = Array.from({ length: 300 }, (_, index) => String.fromCharCode(0x4e00 + (index * 7919) % 5000));
  assert.ok(distance(ideographs.join(""), ideographs.with(150, "一").join("")) <= 6);
  assert.equal(distance(ideographs.join(""), ideographs.join("。")), 0);
});

test("simhash: what a text repeats is what it is known by", () => {
  const hash = (text: string) => core.simhash(encoder.encode(text));
  const distance = (a: string, b: string) => (hash(a) ^ hash(b)).toString(2).replaceAll("0", "").length;
  const topic = Array.from({ length: 40 }, (_, i) => `harbour engine station${i % 5} signal winter`).join(" ");
  const once = (from: number, count: number) => Array.from({ length: count }, (_, i) => `once${from + i}`).join(" ");
  // Thirty words that stand once, others in their place, and short words anywhere.
  assert.ok(distance(`${topic} ${once(0, 30)}`, `${topic} ${once(500, 30)}`) <= 1);
  assert.equal(hash(`the of ${topic} a 12`), hash(topic));
  // A text without repetitions is known by its pairs; one of few words by all of them.
  assert.ok(distance(once(0, 200), once(1000, 200)) > 8);
  assert.notEqual(hash("a b c"), hash("a c b"));
  assert.equal(hash("x"), hash(" X. "));
  for (const text of [topic, "x", once(0, 9), "日本語の文章です。"]) {
    assert.equal(hash(text) & ~0x01ff01ff01ff01ffn, 0n, text);
  }
});

test("simhash: a text made of one word a million times, and one of a million words, are answered in time", () => {
  const startedAt = performance.now();
  assert.notEqual(core.simhash(encoder.encode("word ".repeat(1_000_000))), 0n);
  const many = Array.from({ length: 500_000 }, (_, i) => `w${i}x${i}`).join(" ");
  assert.notEqual(core.simhash(encoder.encode(many)), 0n);
  assert.ok(performance.now() - startedAt < 5000);
});

test("simhash: values that stand with keyVersion", () => {
  const values = {
    "one": "00990144016b013b",
    "The quick brown fox jumps over the lazy dog": "00a5015700c8016a",
    "Übergrößenträger und Müller kaufen 1234567890123 Äpfel": "0002007600a4005b",
    "敏捷的棕色狐狸跳过了懒狗": "01370010012101db",
    "internationalization interoperability abcdefgh ijklmnopqrstuvwx": "010200f300100104",
  };
  for (const [text, value] of Object.entries(values)) {
    assert.equal(core.simhash(encoder.encode(text)).toString(16).padStart(16, "0"), value, text);
    // Where a word stands, and how near to the text's end, is nothing to its hash.
    const page = scan(`<p>${" ".repeat(7)}${text.replaceAll(" ", "<br>\n")}<p>`);
    assert.equal(page.simhash.toString(16).padStart(16, "0"), value, text);
  }
});

test("outlinks: distinct http(s) URLs without fragment, nofollow on demand", () => {
  const page = scan(
    "<a rel=nofollow href=x#1><a href=x#2><a href=mailto:y><area href=x><a href=//z><a rel=nofollow href=w>",
  );
  assert.deepEqual(page.outlinks().map(({ url, kind }) => [url, kind]), [
    ["http://e.org/d/x", "a"],
    ["http://z/", "a"],
    ["http://e.org/d/w", "a"],
  ]);
  for (const { url, hash: [low, high] } of page.outlinks()) {
    assert.equal(core.xxh64(new TextEncoder().encode(url)), BigInt(high) << 32n | BigInt(low));
  }
  const [known] = page.outlinks()[0]!.hash;
  assert.deepEqual(page.outlinks({ isKnown: (low) => low === known }).map(({ url }) => url), [
    "http://z/",
    "http://e.org/d/w",
  ]);
  assert.deepEqual(page.outlinks({ skipNofollow: true }).map(({ url }) => url), ["http://e.org/d/x", "http://z/"]);
});

test("bounds: bytes, links, lengths of links are told as truncated", () => {
  const page = `<a href=x>${"<p>text".repeat(1000)}<a href=late>`;
  const cut = scan(page, { maxBytes: 100 });
  assert.deepEqual([cut.truncated, cut.links.length], [true, 1]);
  assert.equal(scan("é".repeat(60), { maxBytes: 101 }).charset, "utf-8");
  const many = scan("<a href=x>".repeat(10_001));
  assert.deepEqual([many.truncated, many.links.length, many.outlinks().length], [true, 10_000, 1]);
  assert.equal(scan("<a href=x>".repeat(10_000)).truncated, false);
  const long = scan(`<a href="/${"y".repeat(64 * 1024)}"><a href=x>`);
  assert.deepEqual([long.truncated, long.links.length], [true, 1]);
  const heavy = scan(`<base href="http://e.org/${"b".repeat(8000)}/">${"<a href=x>".repeat(5000)}`);
  assert.deepEqual([heavy.truncated, heavy.links.length < 5000, heavy.links.length > 500], [true, true, true]);
});

test("bounds: a page that the next scan overwrites keeps its facts", () => {
  const first = scan("<html lang=fr><title>A</title><a href=a>");
  scan("<html lang=en><title>B</title><a href=bbbbbbb>");
  assert.deepEqual([first.title, first.lang, first.links[0]?.url], ["A", "fr", "http://e.org/d/a"]);
});

test("doors: the typed one answers as the raw one", async () => {
  const { module, instantiate } = await loadArtefact();
  const slot = new CoreSlot(module, instantiate);
  const html =
    "<html lang=de><title>T é</title><base href=/b/><link rel=canonical hreflang=de href=c><a rel=next href='x?é'>one two three</a>" +
    "<meta name=me content=noindex><meta http-equiv=refresh content='1;url=r'><img src=i>";
  const facts = scan(html, { embeds: true, anchorText: true, productToken: "me" });
  const typed = slot.run((instance) => instance.typed.pages.scan(encoder.encode(html), PAGE_URL, "me", 1 | 32));
  assert.deepEqual(
    typed.links.map((link) => ({ ...link, kind: link.kind.replace("-", "_") })),
    facts.links.map((link) => ({ hreflang: "", text: "", ...link })),
  );
  for (
    const key of [
      "base",
      "title",
      "lang",
      "canonical",
      "noindex",
      "nofollow",
      "truncated",
      "simhash",
      "textHash",
      "textLength",
    ] as const
  ) assert.equal(typed[key], facts[key], key);
  const plain = slot.run((instance) => instance.typed.pages.scan(encoder.encode("x"), PAGE_URL, "", 0));
  assert.deepEqual([plain.links, plain.canonical, plain.textLength], [[], undefined, 1]);
});

test("scan: hreflang of alternates and anchors, as the page has it", () => {
  const { links: found } = scan(
    `<link rel=alternate hreflang=" de-AT " href=/de><link rel=alternate hreflang=x-default href=/><a hreflang=fr href=/fr>x</a><a hreflang=${
      "x".repeat(65)
    } href=/long>`,
  );
  assert.deepEqual(found.map((link) => link.hreflang), ["de-AT", "x-default", "fr", undefined]);
});

test("scan: anchor text, folded and bounded, when it is asked for", () => {
  const html = "<p>before<a href=/1> One\n<b>t</b>wo <img alt=no> </a>between<a href=/2>&lt;two&gt;<a href=/3></a>" +
    "<a>no link</a><a href=/4><script>no</script><div>four</div>4</a> after<svg><a href=/5><text>five</text></a></svg>" +
    `<area href=/6>not<a href=/7>${"é".repeat(400)}</a><template><a href=/8>8</a></template><a href=/9>nine`;
  const { links: found } = scan(html, { anchorText: true, text: false });
  const texts = found.map(({ url, text }) => [url.slice(-1), text]);
  assert.deepEqual(texts.filter(([name]) => name !== "7"), [
    ["1", "One two"],
    ["2", "<two>"],
    ["3", undefined],
    ["4", "four 4"],
    ["5", "five"],
    ["6", undefined],
    ["9", "nine"],
  ]);
  assert.equal(texts.find(([name]) => name === "7")![1], "é".repeat(256));
  assert.deepEqual(scan(html).links.filter((link) => link.text !== undefined), []);
});

test("scan: every candidate of a srcset, data left out", () => {
  const { links: found } = scan(
    "<img srcset='a 1x, b 2x,c,, d 3x (x, y) ,data:image/png;base64,xx 4x, e,f'><picture><source srcset=' g 100w , h'></picture>",
    { embeds: true },
  );
  assert.deepEqual(found.map((link) => link.raw), ["a", "b", "c", "d", "e,f", "g", "h"]);
});

test("borrowed links: the same until the core is called again, and refused after", () => {
  const html = "<title>t</title><a href=a rel=x>1</a><a href=b#f>2</a><a href=a>3</a>";
  const own = scan(html);
  const borrowed = scan(html, { borrowLinks: true });
  assert.deepEqual(borrowed.outlinks(), own.outlinks());
  assert.deepEqual(borrowed.links, own.links);
  const unread = scan(html, { borrowLinks: true });
  assert.ok("url" in core.url("http://e.org/"));
  assert.throws(() => unread.outlinks(), /borrowed links/);
  assert.throws(() => unread.links, /borrowed links/);
  assert.deepEqual([unread.title, unread.simhash], [own.title, own.simhash]);
  // What was read while it stood is kept, and another page's copy is its own.
  assert.deepEqual(borrowed.links, own.links);
  assert.throws(() => borrowed.outlinks(), /borrowed links/);
  assert.deepEqual(own.outlinks().map(({ url }) => url), ["http://e.org/d/a", "http://e.org/d/b"]);
});
