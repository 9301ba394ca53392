/**
 * What the core says of a few URLs, a page, a text and some keys, as one hash: the same on every runtime. Plain JS, as
 * Node and browsers take no TypeScript.
 */

const URLS = [
  "HTTP://Example.COM:80/a/../b?z=1&a=2&utm_source=x#top",
  "https://bücher.example/é?q=ü",
  "http://127.1/%7euser/90%",
  "http://faß.de/",
  "https://[2001:DB8::1]:8443//x//",
  "mailto:a@b.example",
  "http://a b/",
];

const PAGE = `<!doctype html><html lang="en"><title>Caf\u00e9 &amp; more</title><base href="/shop/">
<link rel="canonical" href="/c"><meta name="robots" content="noindex"><script>"<a href=/no>"</script>
<a href="tea?x=1&amp;y=2" rel="nofollow">Tea</a> <a href="https://other.example/#part">other words of the page</a>
<svg><a xlink:href="s">s</a></svg><img srcset="a.png 1x, b.png 2x"><template><a href="t">t</a></template>`;

/**
 * @param {import("../core-wasm/mod.ts").Core} core
 * @returns {{ hash: string, lines: readonly string[] }} the lines that were hashed, and their XXH64 in hex
 */
export function coreAnswers(core) {
  const encoder = new TextEncoder();
  const lines = URLS.map((url) => {
    const facts = core.url(url);
    return "error" in facts
      ? facts.error
      : [facts.url, facts.key, facts.fingerprint, facts.surt, facts.host, facts.domain, facts.slot].join(" ");
  });
  const batch = core.urls(URLS);
  for (let i = 0; i < batch.length; i++) lines.push(batch.ok(i) ? `${batch.href(i)} ${batch.host(i)}` : batch.why(i));
  const page = core.scan(encoder.encode(PAGE), {
    url: "https://page.example/",
    embeds: true,
    anchorText: true,
  });
  for (const { url, raw, kind, rel, text } of page.links) lines.push([url, raw, kind, rel, text ?? ""].join(" "));
  lines.push([page.title, page.lang, page.base, page.canonical, page.noindex, page.textLength].join(" "));
  lines.push([page.simhash, page.textHash, core.simhash(encoder.encode("a few words of plain text"))].join(" "));
  const filter = core.filter(1000);
  lines.push(filter.addAll(BigUint64Array.from([1n, 2n, 1n, page.textHash])).join(""));
  lines.push(filter.hasAll(BigUint64Array.from([1n, 3n])).join(""));
  filter.free();
  const hash = core.xxh64(encoder.encode(lines.join("\n")));
  return { hash: hash.toString(16).padStart(16, "0"), lines };
}
