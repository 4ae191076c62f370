import { Failure } from "../../protocol/index.ts";
import type { Host, ToolCall, Verdict } from "../engine.ts";
import { orAborted } from "../loop/turn.ts";

/** Decides on a call that was told. What the session refuses, or nobody waits for any more, is a no. */
export async function verdictOn(host: Pick<Host, "permit">, call: ToolCall, signal: AbortSignal): Promise<Verdict> {
  try {
    const verdict = signal.aborted ? undefined : await orAborted(host.permit(call, signal), signal);
    return verdict ?? { effect: "deny", message: "Interrupted.", status: "interrupted", interrupt: false };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { effect: "deny", message: `Error: ${error.message}`, status: "failed", interrupt: false };
  }
}
