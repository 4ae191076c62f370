import { Failure, type SessionView } from "../protocol/index.ts";
import type { Caller, Gateway } from "../sessions/index.ts";

/**
 * Ends the open turn for a client whose protocol has no `resume`: the caller's queued prompts are removed, those of others are held. Stopping
 * starts nothing.
 */
export async function stopWork({ sessions }: Pick<Gateway, "sessions">, caller: Caller, id: string): Promise<void> {
  await sessions.interrupt(caller, id, { hold_queue: true });
  await removeOwnHeld({ sessions }, caller, id);
}

/** Removes the caller's held prompts from the queue. */
export async function removeOwnHeld(
  { sessions }: Pick<Gateway, "sessions">,
  caller: Caller,
  id: string,
): Promise<void> {
  const { queue } = await sessions.get(caller, id);
  for (const { turn_id, by, held } of queue)
    if (held === true && by.id === caller.id) await removeQueued({ sessions }, caller, { id, turn_id });
}

/** Removes a prompt from the queue. False: it is no longer there. */
export async function removeQueued(
  { sessions }: Pick<Gateway, "sessions">,
  caller: Caller,
  { id, turn_id }: Pick<SessionView, "id"> & { readonly turn_id: string },
): Promise<boolean> {
  try {
    await sessions.removePrompt(caller, id, turn_id);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return false;
    throw error;
  }
}
