/**
 * Server-sent events of stored pages (WHATWG HTML 9.2).
 * Invariant: the number of open streams is bounded; one whose reader has gone, or whose coordinator closes, ends; a reader
 * that is slow slows its stream and nothing else.
 */

import type { PageEvent, PageFeed } from "../page_ports.ts";
import type { ApiParts } from "./context.ts";
import { ApiProblem } from "./problem.ts";

const OPEN_STREAMS = 64;
/** How often the feed is looked at while nothing comes, and how often a silent connection gets a sign of life, ms. */
const LOOK_MS = 500;
const ALIVE_MS = 15_000;

export interface StreamedEvent {
  readonly id: string;
  readonly data: object;
}

/** Opens a stream behind a cursor; throws a problem when too many are open. */
export function eventStream(
  { clock }: Pick<ApiParts, "clock">,
  read: (cursor: readonly number[]) => Promise<PageFeed>,
  toEvent: (event: PageEvent) => StreamedEvent,
): (cursor: readonly number[], signal: AbortSignal) => Response {
  let open = 0;
  return (from, signal) => {
    if (open >= OPEN_STREAMS) {
      throw new ApiProblem(
        503,
        `${OPEN_STREAMS} event streams are open already; try later, or ask with ?after= instead.`,
      );
    }
    open++;
    const gone = new AbortController();
    const end = () => {
      if (gone.signal.aborted) return;
      gone.abort();
      open--;
    };
    signal.addEventListener("abort", end, { once: true });
    let cursor = from;
    let aliveAt = clock.monotonicMs();
    const encoder = new TextEncoder();
    /** The next piece of the stream: events, or a sign of life. */
    const next = async (): Promise<string> => {
      for (;;) {
        const feed = await read(cursor);
        cursor = feed.cursor;
        const now = clock.monotonicMs();
        const isDue = now - aliveAt >= ALIVE_MS;
        if (feed.events.length > 0 || isDue || gone.signal.aborted) {
          aliveAt = now;
          return feed.events.map(toEvent).map(textOf).join("") || ":\n\n";
        }
        await clock.sleep(LOOK_MS, gone.signal);
      }
    };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode("retry: 2000\n\n")),
      async pull(controller) {
        try {
          const text = await next();
          if (gone.signal.aborted) controller.close();
          else controller.enqueue(encoder.encode(text));
        } catch {
          // The coordinator closes: the reader comes back with the last id.
          end();
          controller.close();
        }
      },
      cancel: end,
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}

function textOf({ id, data }: StreamedEvent): string {
  return `id: ${id}\nevent: page\ndata: ${JSON.stringify(data)}\n\n`;
}
