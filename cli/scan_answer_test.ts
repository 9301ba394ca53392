import assert from "node:assert/strict";
import { answerScan } from "./scan_answer.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { test } from "../tests/support/test.ts";

const core = await loadCore();

function answered(line: unknown) {
  const answer = answerScan(core, line);
  assert.ok(!("error" in answer), JSON.stringify(answer));
  return answer;
}

test("scan: all that is known of a page", () => {
  const html =
    '<title>T</title><meta name=outrider content=nofollow><link rel=canonical href=/c><a rel=NEXT href="a?b=1">x y z</a>';
  const answer = answered({ html, url: "http://E.org/d/" });
  assert.deepEqual(answer, {
    links: [
      { url: "http://e.org/c", raw: "/c", kind: "link", rel: "canonical" },
      { url: "http://e.org/d/a?b=1", raw: "a?b=1", kind: "a", rel: "next" },
    ],
    base: "http://e.org/d/",
    title: "T",
    charset: "utf-8",
    canonical: "http://e.org/c",
    noindex: false,
    nofollow: true,
    simhash: core.simhash(new TextEncoder().encode("x y z")).toString(16).padStart(16, "0"),
    text_length: 5,
    truncated: false,
  });
});

test("scan: text keeps its characters whatever charset it declares", () => {
  const html = "<meta charset=gb2312><title>洪 é 😀</title><a href='?D=洪'>";
  const { title, charset, links } = answered({ html, url: "http://e.org/" });
  assert.deepEqual({ title, charset, url: links[0]?.url }, {
    title: "洪 é 😀",
    charset: "gbk",
    url: "http://e.org/?D=%BA%E9",
  });
});

test("scan: bytes are read by what the header says", () => {
  const answer = answered({
    html_base64: btoa("<title>\xc1</title>"),
    url: "http://e.org/",
    content_type: "text/html; charset=koi8-r",
  });
  assert.equal(answer.title, "а");
  assert.equal(answer.charset, "koi8-r");
});

test("scan: embeds and forms when asked for", () => {
  const html = "<img src=i><form action=f>";
  const kinds = (more: object) => answered({ html, url: "http://e.org/", ...more }).links.map((link) => link.kind);
  assert.deepEqual(kinds({}), []);
  assert.deepEqual(kinds({ embeds: true, forms: true }), ["embed", "form"]);
});

test("scan: a bad line is answered with a sentence", () => {
  const lines = [null, 1, [], {}, { html: "" }, { html: "", url: "nowhere" }, {
    html_base64: "*",
    url: "http://e.org/",
  }];
  for (
    const line of [...lines, { html: "", url: "http://e.org/", content_type: 1 }, {
      html: "",
      url: "http://e.org/",
      embeds: 1,
    }]
  ) {
    const answer = answerScan(core, line);
    assert.ok("error" in answer && /\.$/.test(answer.error), JSON.stringify(line));
  }
});
