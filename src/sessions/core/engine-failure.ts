import { Failure, isOutOfSpace, type ErrorDetail } from "../../protocol/index.ts";
import type { Session } from "./session.ts";

/** Why a turn could not go on. An error that is not a Failure is a bug; the log has it. */
export function engineFailure(
  { dependencies, state }: Pick<Session, "dependencies" | "state">,
  error: unknown,
): ErrorDetail {
  if (error instanceof Failure) return error.toBody().error;
  dependencies.log.error({ session: state.id, err: error }, "engine failed");
  if (isOutOfSpace(error))
    return { code: "engine_failed", message: "a disk of the server is full; free some space there and prompt again" };
  return { code: "engine_failed", message: "the engine failed; the server's log says why" };
}
