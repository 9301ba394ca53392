/**
 * Hosts that have answered: if these can't be reached any more, it is likelier this machine that is cut off.
 * Invariant: bounded; the newest answers are kept, and of those that are asked to testify each in its turn.
 */

export interface Witness {
  readonly host: string;
  /** The address that answered: it has passed the guard. */
  readonly address: string;
  readonly port: number;
}

interface Known extends Witness {
  /** Monotonic ms; -Infinity = never. */
  askedAt: number;
}

const MOST = 32;

/** What one broken router or one dead machine takes away together: /24 of IPv4, /48 of IPv6. */
export function networkOf(address: string): string {
  return address.includes(":") ? address.split(":").slice(0, 3).join(":") : address.split(".").slice(0, 3).join(".");
}

export class Witnesses {
  readonly #known = new Map<string, Known>();

  answered(witness: Witness): void {
    const askedAt = this.#known.get(witness.host)?.askedAt ?? -Infinity;
    this.#known.delete(witness.host);
    this.#known.set(witness.host, { ...witness, askedAt });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
  }

  has(host: string): boolean {
    return this.#known.has(host);
  }

  get size(): number {
    return this.#known.size;
  }

  /** More than one network has answered, as far as is known. */
  get areSpread(): boolean {
    return new Set(Array.from(this.#known.values(), ({ address }) => networkOf(address))).size > 1;
  }

  /** Up to `count` of them, of different networks as far as there are, those first that testified longest ago. */
  toAsk(count: number, now: number, except: ReadonlySet<string> = new Set()): Witness[] {
    const free = [...this.#known.values()].filter(({ host }) => !except.has(host)).sort((a, b) =>
      a.askedAt - b.askedAt
    );
    const networks = new Set<string>();
    const spread = free.filter(({ address }) => {
      const isNew = !networks.has(networkOf(address));
      networks.add(networkOf(address));
      return isNew;
    });
    const asked = [...new Set([...spread, ...free])].slice(0, count);
    for (const witness of asked) witness.askedAt = now;
    return asked;
  }
}
