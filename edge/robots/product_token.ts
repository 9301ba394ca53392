/**
 * Which `User-agent` values mean a robot (RFC 9309 2.2.1): the whole product token, in any case, and nothing else of
 * the line. `mybot` isn't meant by `bot`, nor `bot` by `bot-news`; `FooBot/1.0` and `FooBot (beta)` mean `foobot`.
 * RFC tokens hold letters, `_` and `-`; digits and letters beyond ASCII count here too, as real names have them.
 * Invariant: total; names are compared in lower case.
 */

const TOKEN = /^[a-z0-9_\-\u0080-\uffff]+/;

/** What a `User-agent` line's value names: `*`, or a lower-case token; undefined when it names nobody. */
export function namedAgent(value: string): string | undefined {
  // Google: "*" and then white space and more is still everybody.
  if (/^\*(\s|$)/.test(value)) return "*";
  return TOKEN.exec(value.toLowerCase())?.[0];
}

/**
 * The names that a robot may be called by, from a product token or a whole user agent string, most telling first:
 * `Mozilla/5.0 (compatible; FooBot/1.0; +http://foo.example)` gives mozilla, compatible, foobot, … The first of them
 * that has a group decides which group counts.
 */
export function agentNames(agent: string): string[] {
  const names = new Set<string>();
  // A URL or mail address in it is a contact, not a name.
  for (const word of agent.toLowerCase().split(/[\s;,()]+/)) {
    if (/^\+?(https?:|mailto:)|@/.test(word)) continue;
    const name = TOKEN.exec(word)?.[0];
    if (name !== undefined && !/^\d+$/.test(name)) names.add(name);
  }
  return [...names];
}
