/**
 * The CookieJar port on tough-cookie (RFC 6265, with the public suffix list), for one host's lease.
 * Invariant: bounded in number and size; what can't be a cookie is ignored, never an error; nothing is sent that a header
 * can't carry.
 */

import { CookieJar as Jar } from "tough-cookie";
import { LIMITS } from "../../protocol/mod.ts";
import type { CookieJar } from "../ports.ts";

const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

class BoundedJar implements CookieJar {
  readonly #jar = new Jar(undefined, { looseMode: true });
  #taken = 0;

  of(url: string): string | undefined {
    const value = this.#cookiesOf(url);
    return value !== "" && value.length <= LIMITS.cookiesSentChars && VALUE.test(value) ? value : undefined;
  }

  take(url: string, headers: readonly (readonly [string, string])[]): boolean {
    if (!URL.canParse(url)) return false;
    const before = this.#cookiesOf(url);
    for (const [name, value] of headers) {
      if (name.length !== 10 || name.toLowerCase() !== "set-cookie") continue;
      // One that is set anew counts too: a server could do so without an end.
      if (value.length > LIMITS.cookieChars || ++this.#taken > LIMITS.cookiesPerLease) continue;
      this.#jar.setCookieSync(value, url, { ignoreError: true });
    }
    return this.#cookiesOf(url) !== before;
  }

  /** The jar throws where the runtime parses no URL (fetch_target.ts): such hosts have no cookies. */
  #cookiesOf(url: string): string {
    return URL.canParse(url) ? this.#jar.getCookieStringSync(url) : "";
  }
}

export function createCookieJar(): CookieJar {
  return new BoundedJar();
}
