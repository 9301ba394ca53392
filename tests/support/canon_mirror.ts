/**
 * What eleven other canonicalisers make of URLs, against the core: which rules it takes to agree, and of what kind the
 * disagreements are. docs/NORMALISATION.md explains each kind.
 * Invariant: a case counts once, for the least change of the default profile by which it agrees.
 */

import {
  type Core,
  DEFAULT_PROFILE,
  GREEDY_PROFILE,
  loadCore,
  NORMALIZE_RULES,
  type NormalizeRule,
} from "../../core-wasm/mod.ts";
import { KINDS } from "./canon_kinds.ts";
import { type CanonCase, canonCases, CANONICALISERS } from "./corpus_urls.ts";

/** Why a case counts as agreement, or the kind of the disagreement. */
export type Verdict =
  | { readonly agrees: true; readonly by: string }
  | { readonly agrees: false; readonly kind: string };

export interface Mirrored {
  readonly one: CanonCase;
  readonly ours: string | null;
  readonly verdict: Verdict;
}

/** Operations on whole URLs; the others are steps within the other canonicaliser. */
const WHOLE = new Set([
  "canonicalize",
  "safe_url",
  "safe_download_url",
  "query_cleaner",
  "resolve",
  "same",
  "different",
]);

interface Named {
  /** What is said when it takes these rules to agree. */
  readonly name: string;
  readonly core: Core;
}

async function profiles(): Promise<Named[]> {
  const toggled = (Object.keys(NORMALIZE_RULES) as NormalizeRule[]).map(async (rule) => ({
    name: `${DEFAULT_PROFILE[rule] ? "without" : "with"} ${rule}`,
    core: await loadCore({ profile: { [rule]: !DEFAULT_PROFILE[rule] } }),
  }));
  const greedy = { name: "all rules", core: await loadCore({ profile: GREEDY_PROFILE }) };
  const greedyWithUserinfo = {
    name: "all rules, userinfo kept",
    core: await loadCore({ profile: { ...GREEDY_PROFILE, refuseUserinfo: false } }),
  };
  return [{ name: "default", core: await loadCore() }, ...await Promise.all(toggled), greedy, greedyWithUserinfo];
}

/** The key of http(s), the href of other schemes; null = refused. */
function formOf(core: Core, input: string, base?: string): string | null {
  const facts = core.url(input, base);
  if ("error" in facts) return null;
  return facts.slot < 0 ? facts.url : facts.key === "" ? null : facts.key;
}

const HOW = { text: "the same text", key: "the same key" } as const;

function compare(core: Core, { op, input, expected, options }: CanonCase): keyof typeof HOW | undefined {
  if (op === "same" || op === "different") {
    const isSame = formOf(core, input) === formOf(core, String(expected));
    return isSame === (op === "same") ? "key" : undefined;
  }
  if (op === "resolve") {
    const facts = core.url(input, String(options?.base));
    return ("error" in facts ? null : facts.url) === expected ? "text" : undefined;
  }
  const ours = formOf(core, input);
  if (ours === expected) return "text";
  return typeof expected === "string" && ours !== null && formOf(core, expected) === ours ? "key" : undefined;
}

function judge(all: readonly Named[], one: CanonCase): Verdict {
  for (const { name, core } of all) {
    const how = compare(core, one);
    if (how !== undefined) return { agrees: true, by: name === "default" ? HOW[how] : name };
  }
  const ours = formOf(all[0]!.core, one.input);
  return { agrees: false, kind: KINDS.find(({ holds }) => holds(one, ours))?.name ?? "unexplained" };
}

/** Every case of every source that is about a whole URL. */
export async function mirror(): Promise<Mirrored[]> {
  const all = await profiles();
  return CANONICALISERS.flatMap(canonCases).filter((one) => WHOLE.has(one.op)).map((one) => ({
    one,
    ours: formOf(all[0]!.core, one.input),
    verdict: judge(all, one),
  }));
}

/** How many cases have each verdict, most first. */
export function tally(cases: readonly Mirrored[], agrees: boolean): [verdict: string, cases: number][] {
  const counts = new Map<string, number>();
  for (const { verdict } of cases) {
    if (verdict.agrees !== agrees) continue;
    const name = verdict.agrees ? verdict.by : verdict.kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
