import { Failure } from "../../protocol/index.ts";
import type { ClientTool, Unregister } from "../../tools/index.ts";
import type { Session } from "../core/session.ts";
import { isFinal } from "../core/state.ts";

/**
 * Registers tools at a session until the returned function is called. Turns that begin meanwhile have them, and the session stays
 * in memory. Nothing is stored: after a restart the owner registers again. `instead`: earlier tools to replace in the same step.
 */
export async function addClientTools(
  session: Session,
  tools: readonly ClientTool[],
  instead?: Unregister,
): Promise<Unregister> {
  const { id, status } = session.state;
  if (isFinal(status)) throw new Failure("session_closed", `session ${id} is ${status}; start or fork another one`);
  const { toolbox } = await session.environment();
  return toolbox.register(tools, instead);
}
