/**
 * Laws of the key's rules: off, the key is the href; each alone changes what its name says and nothing else, by a model
 * that shares no code with the core; any set of them is idempotent and bounded.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Core,
  DEFAULT_PROFILE,
  GREEDY_PROFILE,
  loadCore,
  NO_RULES,
  NORMALIZE_RULES,
  type NormalizeProfile,
  type NormalizeRule,
} from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT } from "../support/corpora.ts";
import { corpusUrls } from "../support/corpus_urls.ts";
import { test } from "../support/test.ts";
import { URL_RULES } from "../support/url_rules.ts";

const SEED = 20_261_130;
const NAMES = Object.keys(NORMALIZE_RULES) as NormalizeRule[];

const cores = new Map<string, Promise<Core>>();

/** A core with these rules; made once for each set. */
function coreOf(profile: NormalizeProfile): Promise<Core> {
  const name = NAMES.filter((rule) => profile[rule]).join(" ");
  const core = cores.get(name) ?? loadCore({ profile });
  cores.set(name, core);
  return core;
}

const alone = (rule: NormalizeRule): NormalizeProfile => ({ ...NO_RULES, [rule]: true });

const PIECES = (
  "/|//|a|B|%|%%|%4|%41|%7e|%c3%A9|%25|%2541|%2e|.|..|~|index.html|Index.PHP|default.asp|index.htm5|www|?|&|&&|=|a=1|A=1|a=0|b" +
  "|utm_source=x|UTM_x|gclid=1|sid=0123456789abcdef0123456789abcdef|PHPSESSID=0123456789abcdef0123456789abcdeF|CFID=1|cftoken=2" +
  "|(s(4hqa0555fwsecu455xqckv45))/|f.aspx|#|#f|;|+"
).split("|");
const hosts = fc.constantFrom(
  ..."e.org|E.ORG.|www.e.org|www2.e.org.|www.www.e.org|www.com|www|www..e.org|e.org..|www.e.org.:81|[::1]|1.2.3.4.|u:p@www.e.org|a@b.c."
    .split("|"),
);
const tails = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 12 });
const urls = fc.tuple(fc.constantFrom("http", "https"), hosts, tails)
  .map(([scheme, host, tail]) => `${scheme}://${host}/${tail.join("")}`);

interface Parsed {
  readonly href: string;
  readonly key: string;
}

function parsed(core: Core, input: string): Parsed | undefined {
  const facts = core.url(input);
  return "error" in facts || !/^https?:/.test(facts.url) ? undefined : { href: facts.url, key: facts.key };
}

for (const rule of NAMES) {
  test(`rule ${rule}: its example, and nothing but what its model does`, async () => {
    const core = await coreOf(alone(rule));
    const [input, key] = NORMALIZE_RULES[rule].example;
    assert.equal(parsed(core, input)?.key, key);
    const law = fc.property(urls, (url) => {
      const found = parsed(core, url);
      if (found !== undefined) assert.equal(found.key, URL_RULES[rule](found.href), url);
    });
    fc.assert(law, { seed: SEED, numRuns: 1500 });
  });
}

test("without rules the key is the href", async () => {
  const core = await coreOf(NO_RULES);
  fc.assert(
    fc.property(urls, (url) => {
      const found = parsed(core, url);
      if (found !== undefined) assert.equal(found.key, found.href);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

/** Idempotent, of the same scheme and port, and grown by stray percent signs alone. */
function checkLaws(core: Core, url: string): boolean {
  const found = parsed(core, url);
  if (found === undefined || found.key === "") return false;
  assert.equal(parsed(core, found.key)?.key, found.key, url);
  const strays = found.href.match(/%(?![0-9a-f]{2})/gi)?.length ?? 0;
  assert.ok(found.key.length <= found.href.length + 2 * strays, url);
  const origin = (href: string) => /^(https?):\/\/(?:[^/?#]*@)?(?:\[.*?\]|[^/:?#]*)(:\d+)?/.exec(href)!.slice(1);
  assert.deepEqual(origin(found.key), origin(found.href), url);
  return true;
}

test("any set of rules: idempotent and bounded", async () => {
  const sets = fc.sample(fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length }), {
    seed: SEED,
    numRuns: 40,
  });
  for (const set of sets) {
    const profile = Object.fromEntries(NAMES.map((name, i) => [name, set[i]])) as NormalizeProfile;
    const core = await coreOf(profile);
    fc.assert(fc.property(urls, (url) => void checkLaws(core, url)), { seed: SEED, numRuns: 300 });
  }
});

test("every URL of the corpora keeps the laws under each profile", async () => {
  const all = corpusUrls();
  for (const profile of [NO_RULES, DEFAULT_PROFILE, GREEDY_PROFILE, ...NAMES.map(alone)]) {
    const core = await coreOf(profile);
    const kept = all.filter((url) => checkLaws(core, url)).length;
    assert.ok(kept > 900, `only ${kept} URLs had keys`);
  }
}, { skip: CORPORA_ABSENT });
