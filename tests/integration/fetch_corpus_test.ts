/**
 * The replies of other clients' test suites, replayed by a raw server.
 * Invariant: what comes of a reply doesn't depend on how it is cut; where it differs from what the suite's own client
 * makes of it, the difference has a reason.
 */

import assert from "node:assert/strict";
import { FAILURES } from "../../protocol/mod.ts";
import { CORPORA_ABSENT, corpusLines } from "../support/corpora.ts";
import { get, testFetcher } from "../support/fetching.ts";
import { startRawServer } from "../support/raw_server.ts";
import { test } from "../support/test.ts";

interface CurlReply {
  readonly test: string;
  readonly raw_base64: string;
  readonly curl_exit: number;
}

interface LlhttpReply {
  readonly kind: string;
  readonly title: string;
  readonly meta: { readonly type: string };
  readonly raw_base64: string;
  readonly expect: {
    readonly messages?: readonly { readonly status: number; readonly version: string }[];
    readonly error?: unknown;
    readonly message_complete: number;
    readonly body_bytes: number;
  };
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** What came of a reply, without what may differ with its pieces. */
interface Outcome {
  /** The status, or the class of the failure. */
  readonly found: number | string;
  readonly bodyBytes: number;
  readonly truncated: string | undefined;
  readonly fields: string;
}

/** Each reply from a host of its own, sent in `parts` pieces, after which the connection is closed. */
async function outcomesOf(replies: readonly Uint8Array[], parts: number): Promise<Outcome[]> {
  const server = await startRawServer(async (request) => {
    const reply = replies[Number(request.path.slice(1))]!;
    for (let i = 0; i < parts; i++) {
      await request.send(reply.subarray((reply.length * i) / parts, (reply.length * (i + 1)) / parts));
      if (i + 1 < parts) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    request.end();
  });
  const fetcher = testFetcher({ lookup: () => Promise.resolve(["127.0.0.1"]) });
  const outcomes: Outcome[] = [];
  for (let i = 0; i < replies.length; i++) {
    const result = await fetcher.fetch(get(`http://c${i}.test:${server.port}/${i}`));
    if (!result.ok) assert.ok(result.failure in FAILURES && /^[A-Z].*\.$/s.test(result.detail), result.detail);
    outcomes.push(
      result.ok
        ? {
          found: result.status,
          bodyBytes: result.body.length,
          truncated: result.truncated,
          fields: JSON.stringify([result.reason, result.httpVersion, result.headers]),
        }
        : { found: result.failure, bodyBytes: 0, truncated: undefined, fields: "" },
    );
  }
  await fetcher.close();
  await server.close();
  return outcomes;
}

async function steadyOutcomes(replies: readonly Uint8Array[]): Promise<Outcome[]> {
  const whole = await outcomesOf(replies, 1);
  assert.deepEqual(await outcomesOf(replies, 3), whole);
  return whole;
}

const failed = ({ found, truncated }: Outcome) => typeof found === "string" || truncated !== undefined;

/** Where llhttp with its default flags judges otherwise, and why this client does. */
const UNLIKE_LLHTTP: Readonly<Record<string, string>> = {
  "HTTP/1.1 with keep-alive disabled and 204 status": "what follows a whole response is dropped with its connection",
  "HTTP/1.1 with keep-alive disabled, content-length": "what follows a whole response is dropped with its connection",
  "Only LFs present and no body": "LF alone ends a line (RFC 9112 2.2)",
  "Only LFs present": "LF alone ends a line (RFC 9112 2.2)",
  "No carriage ret": "LF alone ends a line (RFC 9112 2.2)",
};

test("llhttp's responses: the same verdict, or a reason", async () => {
  const replies = corpusLines<LlhttpReply>("9-http/llhttp.jsonl").filter((one) =>
    one.kind === "response" && !one.meta.type.includes("lenient")
  );
  assert.ok(replies.length > 70, `${replies.length} replies`);
  const outcomes = await steadyOutcomes(replies.map((one) => bytesOf(one.raw_base64)));
  const unlike: string[] = [];
  for (const [i, { title, raw_base64, expect }] of replies.entries()) {
    const outcome = outcomes[i]!;
    // A parser may stop anywhere; a client whose connection ends before the head does has no response.
    const headEnds = /\n\r?\n/.test(atob(raw_base64));
    const final = expect.messages?.find((one) => one.status >= 200);
    const agrees = !headEnds || expect.error !== undefined || final === undefined
      ? failed(outcome)
      : outcome.found === final.status;
    if (!agrees) unlike.push(title);
  }
  assert.deepEqual([...new Set(unlike)].sort(), Object.keys(UNLIKE_LLHTTP).sort());
}, { skip: CORPORA_ABSENT });

/** curl's exits that say that the reply can't be read, or isn't whole. */
const CURL_REFUSES = new Set([1, 8, 18, 43, 52, 56, 61]);

const NOT_ASKED = "curl was asked for something else (HEAD, raw, no length, signatures, HTTP/0.9)";
const SMUGGLING = "a Transfer-Encoding that isn't chunked beside a Content-Length is refused (RFC 9112 6.1)";
const CODING = "the body is kept as it came; decoding it is a later step";
const LOCATION = "two Location fields are the redirect's trouble, not the exchange's";

/** Where curl judges otherwise, and why this client does. */
const UNLIKE_CURL: Readonly<Record<string, string>> = {
  test21: NOT_ASKED,
  test66: NOT_ASKED,
  test269: NOT_ASKED,
  test1032: NOT_ASKED,
  test1266: NOT_ASKED,
  test1267: NOT_ASKED,
  test1484: NOT_ASKED,
  test5019: NOT_ASKED,
  test221: CODING,
  test1546: CODING,
  test1722: CODING,
  test1723: CODING,
  test319: SMUGGLING,
  test1122: SMUGGLING,
  test393: "a length beyond any number is refused, with or without a limit",
  test395: "a length beyond any number is refused, with or without a limit",
  test580: LOCATION,
  test772: LOCATION,
  test1164: "zeroes are no status line",
  test1274: "the corpus holds the placeholder %TAB, which is no fold",
  test1473: "white space before the first field belongs to no field (RFC 9112 2.2)",
  test1801: "a switch of protocols that nobody asked for is refused",
  test2106: "trailers are dropped unread",
};

test("curl's replies: the same verdict, or a reason", async () => {
  const replies = corpusLines<CurlReply>("9-http/curl-responses.jsonl");
  assert.ok(replies.length > 250, `${replies.length} replies`);
  const outcomes = await steadyOutcomes(replies.map((one) => bytesOf(one.raw_base64)));
  const unlike = replies.filter((one, i) => failed(outcomes[i]!) !== CURL_REFUSES.has(one.curl_exit));
  assert.deepEqual(unlike.map((one) => one.test).sort(), Object.keys(UNLIKE_CURL).sort());
}, { skip: CORPORA_ABSENT });
