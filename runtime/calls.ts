/**
 * Calls across a thread boundary: each side offers functions by name and calls the other's.
 * Invariant: every call is answered once, by a value or an error whose message and code are kept; when the channel closes, calls
 * that wait are rejected.
 */

import { troubleCode } from "./file_errors.ts";

/** A message port: a Worker, or the global scope inside of one. */
export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

/** One argument in, one value out; both must survive structured clone. */
export type Offer = (argument: never) => unknown;

export interface Calls {
  /** Calls the other side's function. */
  call<Value>(name: string, argument?: unknown): Promise<Value>;
  /** Rejects what waits, and every later call, with this sentence. */
  close(sentence: string): void;
}

type Message =
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "value"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly message: string; readonly code: string | undefined };

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export function openCalls(channel: Channel, offers: Readonly<Record<string, Offer>>): Calls {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed: string | undefined;

  async function answer(id: number, name: string, argument: unknown): Promise<void> {
    try {
      const offer = offers[name];
      if (!offer) throw new Error(`Calling ${name} across threads failed: nothing of that name is offered.`);
      channel.postMessage({ kind: "value", id, value: await offer(argument as never) } satisfies Message);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      channel.postMessage({ kind: "error", id, message, code: troubleCode(error) } satisfies Message);
    }
  }

  channel.addEventListener("message", ({ data }) => {
    const message = data as Message;
    if (message.kind === "call") return void answer(message.id, message.name, message.argument);
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "value") caller?.resolve(message.value as never);
    else caller?.reject(Object.assign(new Error(message.message), { code: message.code }));
  });

  return {
    call<Value>(name: string, argument?: unknown): Promise<Value> {
      if (closed !== undefined) return Promise.reject(new Error(closed));
      return new Promise<Value>((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        channel.postMessage({ kind: "call", id, name, argument } satisfies Message);
      });
    },
    close(sentence) {
      closed = sentence;
      for (const { reject } of waiting.values()) reject(new Error(sentence));
      waiting.clear();
    },
  };
}
