import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Frame } from "./frames.ts";
import { publishedPage } from "./journal.ts";
import type { Session } from "./session.ts";
import { isFinal } from "./state.ts";

/** Refuses a position in the journal that does not exist. */
export function checkCursor(session: Session, after: number): void {
  const { publishedSeq } = session.stream;
  if (after <= publishedSeq) return;
  throw new Failure(
    "cursor_invalid",
    `event ${after} is past the end of session ${session.state.id} (${publishedSeq})`,
  );
}

const REPLAY_PAGE = { limit: LIMITS.watchBatchFrames, chars: LIMITS.watchBatchChars } as const;

/**
 * Everything after `after` from the store, then open items, then live frames. Ends when the session has ended. Each batch
 * belongs to the reader: one that waits for its own client can empty it to free memory.
 */
export async function* watch(session: Session, after: number, signal: AbortSignal): AsyncGenerator<Frame[]> {
  const { stream } = session;
  // One listener for the watcher's whole life: racing with an abort promise would leak a little on every wait.
  let wake = (): void => undefined;
  const stop = (): void => wake();
  signal.addEventListener("abort", stop, { once: true });
  let position = after;
  stream.attach();
  try {
    while (!signal.aborted) {
      while (position < stream.publishedSeq) {
        await session.dependencies.readers.next();
        if (signal.aborted) return;
        const page = [...(await publishedPage(session, position, REPLAY_PAGE))];
        if (signal.aborted) return;
        position = page.at(-1)?.seq ?? stream.publishedSeq;
        yield page;
      }
      // Nothing may be awaited from here to the first look into the ring, or a frame could be missed between store and
      // ring.
      let place = stream.end;
      const open = stream.snapshot(session.state.id);
      if (open.length > 0) yield open;
      for (let frames = stream.since(place); frames !== undefined; frames = stream.since(place)) {
        if (signal.aborted) return;
        if (frames.length > 0) {
          place += frames.length;
          position = frames.findLast((frame) => frame.seq !== undefined)?.seq ?? position;
          yield frames;
          // Its last events may still be on their way to the disk.
        } else if (stream.ended || isFinal(session.stored.status)) return;
        else {
          await new Promise<void>((resolve) => {
            const unregister = stream.onChange(resolve);
            wake = () => {
              unregister();
              resolve();
            };
          });
        }
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stream.detach();
  }
}
