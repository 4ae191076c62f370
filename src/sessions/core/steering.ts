import type { SteeredPrompt } from "../../engines/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { isForTurn } from "./decide-queue.ts";
import { queuedPrompt } from "./journal.ts";
import type { Session } from "./session.ts";

/** Refuses to send something into the open turn of an engine that cannot give it to its model. */
export function refuseUnsteerable({ dependencies, state }: Pick<Session, "dependencies" | "state">): void {
  const { engine } = state.settings;
  if (state.turn === undefined || dependencies.engines.get(engine)?.capabilities.steer === true) return;
  throw new Failure(
    "unsupported",
    `the engine ${engine} takes no prompt into a running turn; send it without "when", and it begins when the turn has ended`,
  );
}

/** Moves what people sent into the open turn from the queue into the turn. Each is on the disk as part of it before the engine gets it. */
export async function takeSteered(session: Session, turn_id: string): Promise<readonly SteeredPrompt[]> {
  const taken: SteeredPrompt[] = [];
  // One that changes while it is read is read again; the bound is for somebody who never stops changing it.
  for (let round = 0; round < LIMITS.queuedPromptsPerSession; round += 1) {
    const next = session.state.queue.find(isForTurn);
    if (next === undefined || session.state.turn?.id !== turn_id) break;
    try {
      const prompt = await take(session, { turn_id, prompt_id: next.turn_id, seq: next.seq });
      taken.push({ id: next.turn_id, prompt });
    } catch (error) {
      // If it cannot be written to the disk, it stays in the queue.
      if (!(error instanceof Failure && error.code === "conflict")) break;
    }
  }
  return taken;
}

async function take(
  session: Session,
  { turn_id, prompt_id, seq }: { readonly turn_id: string; readonly prompt_id: string; readonly seq: number },
): Promise<SteeredPrompt["prompt"]> {
  const { dependencies, state } = session;
  await session.settled();
  const { prompt, by } = await queuedPrompt(dependencies.store.read, state, seq);
  const durable = session.execute({ type: "steer", turn_id, prompt_id, seq, prompt, by });
  dependencies.reach("steer.decided");
  await durable;
  dependencies.reach("steer.durable");
  return prompt;
}
