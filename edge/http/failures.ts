/**
 * Sorts what went wrong on the network into the failure classes of the protocol.
 * Invariant: every error of the web's has a class; what this machine lacks (file handles, memory) is thrown instead,
 * because it is no fault of the host.
 */

import type { FailureClass } from "../../protocol/mod.ts";
import { tlsFault } from "./tls_faults.ts";
import type { Ending, FetchTask } from "./fetch_task.ts";

export interface Trouble {
  readonly failure: FailureClass;
  /** One sentence: attempted, found, wanted. */
  readonly detail: string;
  /** False when no packet was sent to the host. */
  readonly sent: boolean;
  readonly remoteAddress?: string;
  /** See FetchFailure. */
  readonly unanswered?: boolean;
  readonly lost?: true;
}

const LOCAL = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

const BY_CODE: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "connect_refused",
  ENETUNREACH: "connect_refused",
  EHOSTDOWN: "connect_refused",
  EACCES: "connect_refused",
  EPERM: "connect_refused",
  ETIMEDOUT: "connect_timeout",
  ECONNRESET: "connect_reset",
  ECONNABORTED: "connect_reset",
  EPIPE: "connect_reset",
};

function describe(error: unknown): { code: string; text: string } {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === "string" && message !== "" ? message : String(error);
  return { code: typeof code === "string" ? code : "", text: text.split("\n")[0]!.slice(0, 300) };
}

/** The class of an error before a connection stood. Throws when the cause lies in this machine. */
export function connectFailure(error: unknown, secure: boolean, attempted: string): Trouble {
  const { code, text } = describe(error);
  if (LOCAL.has(code)) throw new Error(`${attempted} failed for want of something on this machine: ${code} ${text}.`);
  const failure = BY_CODE[code] ?? (secure ? "tls" : "connect_refused");
  const found = `${code === "" ? "" : `${code}: `}${text}`;
  if (failure !== "tls") return { failure, detail: `${attempted} failed with ${found}.`, sent: true };
  const wanted = "wanted a TLS handshake with a certificate that is valid for the name";
  return { failure, detail: `${attempted} failed in TLS (${tlsFault(code, text)}): ${found}; ${wanted}.`, sent: true };
}

/**
 * The class of a connection's loss after it stood and before a whole response head was read; `error` is undefined
 * when the other side closed it in order.
 */
export function exchangeFailure(error: unknown, attempted: string): Trouble {
  const { code, text } = error === undefined ? { code: "", text: "" } : describe(error);
  const failure = /SSL|TLS/.test(code) ? "tls" : "connect_reset";
  const found = failure === "tls" ? text : "the connection was closed before a response came";
  return { failure, detail: `${attempted} failed: ${found}${code === "" ? "" : ` (${code})`}.`, sent: true };
}

/** A server that ends an idle connection with 408 spoke of none of our requests (RFC 9110 15.5.9). */
export function idleTimeout(attempted: string): Trouble {
  const detail =
    `${attempted} failed: the answer was 408, which a server gives to a connection that was idle too long.`;
  return { failure: "connect_reset", detail, sent: true, lost: true };
}

/** No request may go to the address now: nothing is known of the host. */
export function notAdmitted(address: string, origin: string): Trouble {
  const detail =
    `Fetching from ${origin} was put off: ${address} is asked as often as it may be, or its owner can't be asked.`;
  return { failure: "aborted", detail, sent: false, remoteAddress: address };
}

/** What came before it took so long that the request may not be sent any more: nothing is known of the host. */
export function tooLate(origin: string): Trouble {
  const detail = `Fetching from ${origin} was put off: the time was over by which the request had to be sent.`;
  return { failure: "aborted", detail, sent: false };
}

/** The failure of a fetch that was ended before it had a response head. */
export function endingFailure(why: Ending, task: FetchTask, attempted: string, sent: boolean): Trouble {
  const { connectMs, idleMs, wallMs } = task.limits;
  const found = {
    connect_timeout: `no connection stood within ${connectMs} ms`,
    read_timeout: `nothing came for ${idleMs} ms`,
    wall_timeout: `it wasn't done within ${wallMs} ms`,
    aborted: "the caller gave it up",
  }[why];
  return { failure: why, detail: `${attempted} ended without a response: ${found}.`, sent };
}
