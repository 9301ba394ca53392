/**
 * What an edge knows of the coordinators: those that it was told of at its start, and who has which shard by their word.
 * Invariant: of two words on a shard's owner the one with the larger term counts; a token is never sent in the clear to
 * a coordinator that only another one named, when it was given HTTPS.
 */

import { mergedMap, shardOf, type ShardOwner, type SlotMap } from "../../protocol/mod.ts";
import type { Logger } from "../../runtime/ports.ts";
import { baseOf, CoordinatorClient, type CoordinatorClientOptions } from "./coordinator_client.ts";
import type { Place } from "./verbs.ts";

export interface FleetOptions extends Omit<CoordinatorClientOptions, "baseUrl"> {
  /** Where to begin; at least one. */
  readonly baseUrls: readonly string[];
}

export class FleetMap {
  readonly #options: FleetOptions;
  readonly #given: readonly string[];
  readonly #log: Logger;
  readonly #clients = new Map<string, CoordinatorClient>();
  readonly #refused = new Set<string>();
  #map: SlotMap | undefined;
  /** By shard: who said that it is the owner's, without an address. */
  readonly #speakers = new Map<number, string>();
  /** Answered last, among those that may have everything. */
  #current: string;
  /** Called when a word changed something. */
  onChange: () => void = () => {};

  /** Throws a sentence when a URL or the token is none. */
  constructor(options: FleetOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#given = [...new Set(options.baseUrls.map(baseOf))];
    for (const base of this.#given) this.client(base);
    this.#current = this.#given[0]!;
  }

  get map(): SlotMap | undefined {
    return this.#map;
  }

  /** All that are known, those that were given first. */
  get bases(): readonly string[] {
    return [...this.#clients.keys()];
  }

  client(base: string): CoordinatorClient {
    let client = this.#clients.get(base);
    if (client === undefined) {
      this.#clients.set(base, client = new CoordinatorClient({ ...this.#options, baseUrl: base }));
    }
    return client;
  }

  /** Those that may have something to lease. */
  get lessors(): readonly string[] {
    const owners = this.#map?.owners;
    if (owners === undefined) return this.#given;
    const known = new Set<string>();
    for (let shard = 0; shard < owners.length; shard++) {
      const owner = this.#ownerOf(shard);
      if (owner !== undefined) known.add(owner);
    }
    return known.size === 0 ? this.#given : [...known];
  }

  /** Who is to be asked about a place; undefined = nobody is known to own it. */
  ownerOf(place: Place): string | undefined {
    if (this.#map?.owners === undefined || place === "any") return this.#current;
    return this.#ownerOf(this.shardOf(place)!);
  }

  /** Undefined while no map is known, and of no place in particular. */
  shardOf(place: Place): number | undefined {
    if (place === "any") return undefined;
    if ("shard" in place) return place.shard;
    return this.#map === undefined ? undefined : shardOf(this.#map, place.slot);
  }

  #ownerOf(shard: number): string | undefined {
    const url = this.#map?.owners?.[shard]?.url ?? "";
    return url === "" ? this.#speakers.get(shard) : url;
  }

  /** `base` answered. */
  answered(base: string): void {
    this.#current = base;
  }

  /** Takes what is newer of the word of `base`. */
  learn(word: SlotMap, base: string): void {
    if (!Array.isArray(word.runs) || word.runs.length === 0) return;
    const heard = this.#heard(word, base);
    const before = this.#map;
    const merged = before === undefined ? heard : mergedMap(before, heard);
    const owners = merged.owners?.map((owner, shard) =>
      owner.url !== ""
        ? owner
        : sameTerm(owner, before?.owners?.[shard]) ?? sameTerm(owner, heard.owners?.[shard]) ?? owner
    );
    this.#map = owners === undefined ? merged : { ...merged, owners };
    for (const { url } of owners ?? []) if (url !== "") this.client(url);
    owners?.forEach((owner, shard) => this.#note(owner, word.owners?.[shard], { shard, base }));
    if (before === undefined || isOther(before, this.#map)) this.onChange();
  }

  /** Without an address a shard is that of whoever speaks of it, or nobody's: asking tells. */
  #note(
    owner: ShardOwner,
    word: ShardOwner | undefined,
    who: { readonly shard: number; readonly base: string },
  ): void {
    if (owner.url !== "") this.#speakers.delete(who.shard);
    else if (owner.term > 0 && word?.url === "" && word.term === owner.term) this.#speakers.set(who.shard, who.base);
  }

  /** With addresses as they are written here, and without those that can't be trusted with the token. */
  #heard(word: SlotMap, from: string): SlotMap {
    if (word.owners === undefined) return word;
    const owners = word.owners.map(({ url, term }) => ({ url: url === "" ? "" : this.#admitted(url, from), term }));
    return { ...word, owners };
  }

  #admitted(url: string, from: string): string {
    try {
      const base = baseOf(url);
      const isSafe = base.startsWith("https:") || from.startsWith("http:") || this.#given.includes(base);
      if (isSafe) return base;
    } catch {
      // Said below.
    }
    if (!this.#refused.has(url)) {
      this.#log.warn("a coordinator names another at an address that isn't used: HTTPS is wanted, or --coordinator", {
        url,
        from,
      });
    }
    this.#refused.add(url);
    return "";
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}

function sameTerm({ term }: ShardOwner, other: ShardOwner | undefined): ShardOwner | undefined {
  return other !== undefined && other.url !== "" && other.term === term ? other : undefined;
}

function isOther(a: SlotMap, b: SlotMap): boolean {
  if (a.version !== b.version || a.owners?.length !== b.owners?.length) return true;
  return b.owners?.some(({ url, term }, shard) => {
    const other = a.owners?.[shard];
    return other?.url !== url || other.term !== term;
  }) === true;
}
