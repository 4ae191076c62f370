import { Failure } from "../../protocol/index.ts";
import type { LentTool, TakeBack } from "../../tools/index.ts";
import type { Session } from "../core/session.ts";
import { isFinal } from "../core/state.ts";

/**
 * Lends tools to a session until the answer is called. They are there for the turns that begin meanwhile; a session with tools on
 * loan stays in memory. Nothing of a loan is written down: after a restart the lender lends again. `instead`: an earlier loan, which ends
 * in the same moment.
 */
export async function lendTo(session: Session, tools: readonly LentTool[], instead?: TakeBack): Promise<TakeBack> {
  const { id, status } = session.state;
  if (isFinal(status)) throw new Failure("session_closed", `session ${id} is ${status}; start or fork another one`);
  const { toolbox } = await session.workshop();
  return toolbox.lend(tools, instead);
}
