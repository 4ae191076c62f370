import { defined, Failure, NO_USAGE, type EventBody } from "../../protocol/index.ts";
import type { SessionCommand } from "./commands.ts";
import type { SessionState } from "./state.ts";

/** The turns of another program, journaled as ended: they cost nothing here and nothing of them runs. Pure. */
export function imported(
  state: SessionState,
  { source, turns, by }: Extract<SessionCommand, { type: "import" }>,
): readonly EventBody[] | Failure {
  if (state.turns > 0 || state.turn !== undefined || state.queue.length > 0)
    return new Failure("conflict", `session ${state.id} has begun already: import into a new one`);
  const told = turns.flatMap(({ turn_id, prompt, items, at }): EventBody[] => [
    {
      type: "turn.started",
      synthetic: true,
      source: { engine: source, ...defined({ raw: at && { at } }) },
      turn_id,
      prompt,
      by,
    },
    ...items.map((item): EventBody => ({ type: "item.completed", synthetic: true, item })),
    { type: "turn.completed", synthetic: true, turn_id, usage: NO_USAGE, cost_microusd: 0, stop_reason: "imported" },
  ]);
  const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
  const message = `Imported from ${source}: ${count}. Nothing of it ran here.`;
  return [...told, { type: "error", message }, { type: "session.updated", status: "idle" }];
}
