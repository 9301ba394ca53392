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

/** One argument in, one value out; both must survive what they cross by. */
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

/**
 * How this side's messages cross: by structured clone, or as JSON text, for values that JSON can say (a field that is
 * undefined is absent on the other side). On Bun text is half the cost, on Deno the same (docs/PERFORMANCE.md).
 */
export type Crossing = "clone" | "text";

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export function openCalls(
  channel: Channel,
  offers: Readonly<Record<string, Offer>>,
  crossing: Crossing = "clone",
): Calls {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed: string | undefined;
  const post = (message: Message) => channel.postMessage(crossing === "text" ? JSON.stringify(message) : message);

  async function answer(id: number, name: string, argument: unknown): Promise<void> {
    try {
      const offer = offers[name];
      if (!offer) throw new Error(`Calling ${name} across threads failed: nothing of that name is offered.`);
      post({ kind: "value", id, value: await offer(argument as never) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      post({ kind: "error", id, message, code: troubleCode(error) });
    }
  }

  channel.addEventListener("message", ({ data }) => {
    const message = (typeof data === "string" ? JSON.parse(data) : data) as Message;
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
        post({ kind: "call", id, name, argument });
      });
    },
    close(sentence) {
      closed = sentence;
      for (const { reject } of waiting.values()) reject(new Error(sentence));
      waiting.clear();
    },
  };
}
