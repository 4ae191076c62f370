import type { SessionCommand } from "./commands.ts";
import { queuedPrompt } from "./journal.ts";
import type { Session } from "./session.ts";

/** The command for a prompt that should begin and cannot be read. */
export const HOLD_UNREAD: SessionCommand = {
  type: "hold",
  why: "The next prompt could not be read from the store, so the queue is held. Resume it to try again, or remove that prompt.",
};

/** The queued prompt in event `seq`. Undefined: it cannot be read; the log says why. */
export async function readQueued(
  session: Pick<Session, "dependencies" | "state" | "settled">,
  seq: number,
): Promise<Awaited<ReturnType<typeof queuedPrompt>> | undefined> {
  const { dependencies } = session;
  await session.settled();
  try {
    return await queuedPrompt(dependencies.store.read, session.state, seq);
  } catch (error) {
    dependencies.log.error({ session: session.state.id, err: error }, "a queued prompt could not be read");
    return undefined;
  }
}
