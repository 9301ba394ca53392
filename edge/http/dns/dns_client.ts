/**
 * Asks DNS servers for the addresses of a name, without a thread that waits: a slow answer holds nobody up.
 * Invariant: never rejects but with a LookupFailure; each try has a time of its own, the next server is asked after it
 * or after a failure, and a late answer of an earlier one still counts.
 */

import type { Clock } from "../../../runtime/ports.ts";
import { type Found, LookupFailure } from "../resolver.ts";
import { type AddressType, encodeQuery, nameFault, type Question, readReply, type Reply } from "./dns_message.ts";
import type { DnsServer } from "./dns_servers.ts";
import { SendGate } from "./send_gate.ts";
import { askOverTcp } from "./tcp_exchange.ts";
import { UdpExchange, type UdpSeat } from "./udp_exchange.ts";

export interface DnsClientOptions {
  readonly clock: Clock;
  readonly servers: () => readonly DnsServer[];
  /** How long each try waits before the next, ms. Default 1, 2, 3 s; with one server it is asked three times. */
  readonly triesMs?: readonly number[];
}

const TRIES_MS = [1000, 2000, 3000];
/** RFC 8305 3: how long the other family's answer is waited for. */
const RESOLUTION_DELAY_MS = 50;

type Answered = Exclude<Reply, { kind: "truncated" | "failed" }>;

export class DnsClient {
  readonly #options: DnsClientOptions;
  readonly #udp = { udp4: new UdpExchange("udp4"), udp6: new UdpExchange("udp6") };
  readonly #gate: SendGate;
  readonly #asking = new Set<AbortController>();
  #closed = false;

  constructor(options: DnsClientOptions) {
    this.#options = options;
    this.#gate = new SendGate(options.clock);
  }

  /** Ends what is under way. */
  close(): void {
    this.#closed = true;
    for (const one of this.#asking) one.abort();
  }

  /** IPv6 and IPv4 addresses, asked for at the same time. */
  async lookup(host: string): Promise<Found> {
    const fault = nameFault(host);
    if (fault !== undefined) throw new LookupFailure("EBADNAME", fault);
    if (this.#closed) throw new LookupFailure("ECANCELLED", "the resolver is closed");
    const six = this.#ask(host, "AAAA");
    const four = this.#ask(host, "A");
    // Whichever is second may fail when nobody waits for it.
    for (const one of [six, four]) one.catch(() => {});
    const first = await firstWithAddresses(six, four);
    const other = first === undefined ? undefined : first.type === "A" ? six : four;
    if (first === undefined || other === undefined) return bothOf(await Promise.allSettled([six, four]), host);
    let isThere = false;
    const settled = other.then(() => isThere = true, () => isThere = true);
    const waited = new AbortController();
    await Promise.race([settled, this.#options.clock.sleep(RESOLUTION_DELAY_MS, waited.signal)]);
    waited.abort();
    if (isThere) return bothOf(await Promise.allSettled([six, four]), host);
    const rest = Promise.allSettled([six, four]).then((both) => bothOf(both, host));
    return { ...foundIn([first.answer]), rest };
  }

  async #ask(name: string, type: AddressType): Promise<Answered> {
    const stop = new AbortController();
    this.#asking.add(stop);
    try {
      return await this.#tries(name, type, stop);
    } finally {
      stop.abort();
      this.#asking.delete(stop);
    }
  }

  /** Resolves with the first sound reply; the last failure where there is none. */
  async #tries(name: string, type: AddressType, stop: AbortController): Promise<Answered> {
    const { clock, servers: list, triesMs = TRIES_MS } = this.#options;
    const servers = list();
    if (servers.length === 0) throw new LookupFailure("ENOSERVER", "no DNS server is known");
    let failure = new LookupFailure("ETIMEOUT", "no server answered in time");
    const asked: Query[] = [];
    try {
      for (const [i, tryMs] of triesMs.entries()) {
        await this.#gate.pass(stop.signal);
        if (stop.signal.aborted) break;
        const query = new Query(this.#udp, servers[i % servers.length]!, { name, type }, stop.signal);
        asked.push(query);
        const timer = clock.sleep(tryMs, stop.signal).then(() => undefined);
        const won = await Promise.race([...asked.map((one) => one.answer), query.failure, timer]);
        if (stop.signal.aborted) break;
        if (won !== undefined && !(won instanceof LookupFailure)) return won;
        if (won !== undefined) failure = won;
      }
      throw failure;
    } finally {
      for (const one of asked) one.end();
    }
  }
}

interface Sockets {
  readonly udp4: UdpExchange;
  readonly udp6: UdpExchange;
}

/** One question to one server: by datagram, and by TCP where the answer is too long for one. */
class Query {
  /** Resolves with a sound answer, or never. */
  readonly answer: Promise<Answered>;
  /** Resolves when the server can't or won't answer, or never. */
  readonly failure: Promise<LookupFailure>;
  readonly #server: DnsServer;
  readonly #seat: UdpSeat;
  readonly #question: Question;
  readonly #signal: AbortSignal;
  #answered!: (answer: Answered) => void;
  #failed!: (failure: LookupFailure) => void;
  #isExtended = true;
  #ended = false;

  constructor(
    sockets: Sockets,
    server: DnsServer,
    what: { readonly name: string; readonly type: AddressType },
    signal: AbortSignal,
  ) {
    this.answer = new Promise((resolve) => this.#answered = resolve);
    this.failure = new Promise((resolve) => this.#failed = resolve);
    this.#server = server;
    this.#signal = signal;
    const family = server.address.includes(":") ? "udp6" : "udp4";
    this.#seat = sockets[family].seat((bytes, from) => this.#onMessage(bytes, from));
    this.#question = { id: this.#seat.id, ...what };
    this.#send();
  }

  end(): void {
    if (!this.#ended) this.#seat.leave();
    this.#ended = true;
  }

  #send(): void {
    this.#seat.send(encodeQuery(this.#question, this.#isExtended), this.#server, (error) => this.#fail(error.message));
  }

  #fail(why: string): void {
    this.#failed(new LookupFailure("ESERVER", `${this.#server.address} gave no answer: ${why}`));
  }

  #onMessage(bytes: Uint8Array, from: DnsServer): void {
    // RFC 5452 4.3: from where it was sent to, and nobody else.
    if (from.port !== this.#server.port || from.address !== this.#server.address) return;
    const reply = readReply(bytes, this.#question);
    if (reply?.kind === "truncated") void this.#overTcp();
    else if (reply !== undefined) this.#settle(reply);
  }

  async #overTcp(): Promise<void> {
    try {
      const bytes = await askOverTcp(encodeQuery(this.#question, this.#isExtended), this.#server, this.#signal);
      const reply = readReply(bytes, this.#question);
      if (reply === undefined || reply.kind === "truncated") this.#fail("what came over TCP is no reply");
      else this.#settle(reply);
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  #settle(reply: Exclude<Reply, { kind: "truncated" }>): void {
    if (reply.kind !== "failed") return this.#answered(reply);
    // RFC 6891 7: a server that knows no extensions says FORMERR (or NOTIMP), and is asked without.
    if (this.#isExtended && (reply.code === "FORMERR" || reply.code === "NOTIMP") && !this.#ended) {
      this.#isExtended = false;
      return this.#send();
    }
    this.#failed(new LookupFailure(reply.code, `${this.#server.address} answered with ${reply.code}`));
  }
}

interface First {
  readonly type: AddressType;
  readonly answer: Answered;
}

/** The first of the two that has addresses; undefined when neither has. */
async function firstWithAddresses(six: Promise<Answered>, four: Promise<Answered>): Promise<First | undefined> {
  const wanted = async (type: AddressType, asked: Promise<Answered>): Promise<First> => {
    const answer = await asked;
    if (answer.kind !== "addresses") throw answer;
    return { type, answer };
  };
  return await Promise.any([wanted("AAAA", six), wanted("A", four)]).catch(() => undefined);
}

/** IPv6 first (RFC 6724, RFC 8305 4). */
function foundIn(answers: readonly Answered[]): Found {
  const good = answers.filter((one) => one.kind === "addresses");
  return {
    addresses: good.flatMap(({ addresses }) => addresses),
    ttlMs: 1000 * Math.min(...good.map(({ ttlSeconds }) => ttlSeconds)),
  };
}

function bothOf(settled: readonly PromiseSettledResult<Answered>[], host: string): Found {
  const answers = settled.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
  const found = foundIn(answers);
  if (found.addresses.length > 0) return found;
  // One family failed: that the other has no address says nothing about this one.
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const isName = answers.every(({ kind }) => kind === "nodata");
  const ttls = answers.flatMap((one) => one.ttlSeconds === undefined ? [] : [one.ttlSeconds]);
  const ttlMs = ttls.length === 0 ? undefined : 1000 * Math.min(...ttls);
  throw isName
    ? new LookupFailure("ENODATA", `${host} has no address`, ttlMs)
    : new LookupFailure("ENOTFOUND", `there is no name ${host}`, ttlMs);
}
