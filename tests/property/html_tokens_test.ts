/**
 * Random markup: the core's tokens against parse5's tokenizer, from every state that the scan uses.
 * A failure prints its seed; fast-check shrinks the input.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { Tokenizer, TokenizerMode } from "parse5";
import { CoreSlot } from "../../core-wasm/instance.ts";
import { loadArtefact } from "../../core-wasm/load.ts";
import { STATES, type Token, tokensOf } from "../support/html_tokens.ts";
import { test } from "../support/test.ts";

/** What tokenizers trip over, in pieces. */
const PIECES = [
  ..."<>/!-?=&;#'\"` \t\n\r\f\0aAxX0é😀\u00a0",
  ..."<a|</a|<b |</|<!|<!-|<!--|-->|--!>|<!-->|--|]]>|<![CDATA[|<!doctype |<!DOCTYPE html>|<?xml|<title>|</title>|</TITLE |<script|</script>"
    .split("|"),
  ..."<script>|</script |<!--<script>|&amp|&amp;|&notin;|&notit;|&not|&#|&#x|&#65;|&#x41|&#0;|&#x80;|&#xd800;|&#1114112;|&lt=|&copy1|&nLt;"
    .split("|"),
  ..." href=| href='| href=\"|a=b|a=1 a=2|/>| / >|\r\n|=>|'>|\">|&bogus;|&CounterClockwiseContourIntegral;|&#99999999999;"
    .split("|"),
];

const MODES: Readonly<Record<string, number>> = {
  "Data state": TokenizerMode.DATA,
  "RCDATA state": TokenizerMode.RCDATA,
  "RAWTEXT state": TokenizerMode.RAWTEXT,
  "Script data state": TokenizerMode.SCRIPT_DATA,
  "PLAINTEXT state": TokenizerMode.PLAINTEXT,
};

interface TagToken {
  readonly tagName: string;
  readonly selfClosing: boolean;
  readonly attrs: readonly { name: string; value: string }[];
}

/** The same tokens by parse5. */
function oracle(html: string, mode: number, lastTag: string): Token[] {
  const tokens: Token[] = [];
  const characters = ({ chars }: { chars: string }) => {
    const before = tokens.at(-1);
    if (before?.[0] === "Character") tokens[tokens.length - 1] = ["Character", before[1] + chars];
    else tokens.push(["Character", chars]);
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onComment: (token) => tokens.push(["Comment", token.data]),
      onDoctype: () => tokens.push(["DOCTYPE"]),
      onStartTag: ({ tagName, selfClosing, attrs }: TagToken) => {
        const values = Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
        tokens.push(selfClosing ? ["StartTag", tagName, values, true] : ["StartTag", tagName, values]);
      },
      onEndTag: (token) => {
        tokens.push(["EndTag", token.tagName]);
        // The closing end tag of raw text leads back to data, which is the tree builder's doing.
        tokenizer.state = TokenizerMode.DATA;
      },
      onEof: () => {},
      onCharacter: characters,
      onNullCharacter: characters,
      onWhitespaceCharacter: characters,
    } as ConstructorParameters<typeof Tokenizer>[1],
  );
  tokenizer.state = mode as typeof tokenizer.state;
  tokenizer.lastStartTagName = lastTag;
  tokenizer.write(html, true);
  return tokens;
}

test("property: random markup has parse5's tokens", async () => {
  const { module, instantiate } = await loadArtefact();
  const raw = new CoreSlot(module, instantiate).fresh();
  const markup = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(""));
  const property = fc.property(markup, fc.constantFrom(...Object.keys(MODES)), (html, state) => {
    const lastTag = state === "Script data state" ? "script" : "title";
    const found = tokensOf(raw, html, { state: STATES[state]!, lastTag });
    assert.deepEqual(found, oracle(html, MODES[state]!, lastTag));
  });
  fc.assert(property, { numRuns: 6000 });
});
