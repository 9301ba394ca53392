/**
 * SURTs against what webarchive-commons and the surt package assert. Cases are left out by rule, each with its reason.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { test } from "../support/test.ts";

interface SurtCase {
  readonly op: string;
  readonly input: string;
  readonly expected: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

const core = await loadCore();

function surtOf(input: string): string {
  const facts = core.url(input);
  return "error" in facts ? facts.error : facts.surt;
}

/** Forms that CDXJ doesn't use, and the one point in which the two sources differ. */
function isLeftOut({ input, options = {} }: SurtCase): boolean {
  const otherForm = options.with_scheme === true || options.trailing_comma === true ||
    options.host_massage === false || options.canonicalizer !== undefined;
  const reversesAddresses = /^http:\/\/[\d.]+\//.test(input) && options.reverse_ipaddr !== false;
  // webarchive-commons reads the host out of a dns: URI, surt doesn't.
  return otherForm || reversesAddresses || input.startsWith("dns:");
}

test("SURTs of the corpora", () => {
  const cases = ["internetarchive-surt", "webarchive-commons"]
    .flatMap((name) => corpusLines<SurtCase>(`2-url-canon/${name}.open.jsonl`))
    .filter((one) => one.op === "surt" && !isLeftOut(one));
  assert.ok(cases.length >= 17, `only ${cases.length} cases are left`);
  assert.deepEqual(cases.filter((one) => surtOf(one.input) !== one.expected), []);
}, { skip: CORPORA_ABSENT });

test("sessions in paths and queries are left out of SURTs", () => {
  const cases = corpusLines<SurtCase>("2-url-canon/webarchive-commons.open.jsonl")
    .filter((one) => /^strip_(path|query)_session_id$/.test(one.op));
  assert.ok(cases.length > 10);
  const withoutSlash = (path: string) => path.replace(/\?$/, "").replace(/(.)\/$/, "$1");
  for (const { op, input, expected } of cases) {
    // The corpus strips parts; a SURT is lower-case, unescaped, sorted, and has no slash at its end.
    const [path, query] = op.includes("path") ? expected.split("?") : ["/", expected.slice(1)];
    const sorted = query ? `?${decodeURIComponent(query).toLowerCase().split("&").sort().join("&")}` : "";
    const url = op.includes("path") ? `http://e.org${input}` : `http://e.org/${input}`;
    assert.equal(surtOf(url), `org,e)${withoutSlash(path!.toLowerCase())}${sorted}`);
  }
}, { skip: CORPORA_ABSENT });

test("escapes are undone again and again, dots and runs of slashes go, as Google's canonicalisation has it", () => {
  const rows: Readonly<Record<string, string>> = {
    "http://host/%25%32%35": "host)/%25",
    "http://host/asdf%25%32%35asd": "host)/asdf%25asd",
    "http://host/%%%25%32%35asd%%": "host)/%25%25%25asd%25%25",
    "http://e.org/a%2Fb%252fc?x=%2526y%3D1": "org,e)/a/b/c?x=&y=1",
    "http://e.org/a//b/%252e%252e/c//": "org,e)/a/c",
    "http://e.org/a/%252e%252e": "org,e)/",
    "http://e.org/%2e%252e/%2e%252e/x/%252e": "org,e)/x",
    "http://e.org/%23%20%0a%7f%C3%A9": "org,e)/%23%20%0a%7f%c3%a9",
    "http://..foo...bar.org../": "org,bar,foo)/",
    "http://e.org/?a=%": "org,e)/?a=%25",
  };
  for (const [input, wanted] of Object.entries(rows)) assert.equal(surtOf(input), wanted, input);
});

test("hosts are reversed, addresses are not, ports stay", () => {
  assert.equal(surtOf("http://www2.Example.com:8080/A/?B=1&a=2"), "com,example:8080)/a?a=2&b=1");
  assert.equal(surtOf("http://127.0.0.1/"), "127.0.0.1)/");
  assert.equal(surtOf("https://[2001:DB8::1]:8443/x"), "[2001:db8::1]:8443)/x");
  assert.equal(surtOf("http://www.com/"), "com)/");
  assert.equal(surtOf("http://localhost/"), "localhost)/");
  assert.equal(surtOf("http://example.com./"), "com,example)/");
  assert.equal(surtOf("http://e.org/?utm_source=x"), "org,e)/?utm_source=x");
});
