import { dirname } from "node:path";
import { LIMITS, toolFacts } from "../../protocol/index.ts";
import { errorResult, type Permission, type RunToolOptions, type Toolbox, type ToolResult } from "../../tools/index.ts";
import { permitAgain, inputHash, type DecidedCall, type PermittingSession } from "./permit.ts";

/** A call that may run, and what it may do. */
export interface PermittedCall {
  readonly call: DecidedCall;
  /** What it runs with: a person may have changed the call's own input. */
  readonly input: DecidedCall["input"];
  readonly effectful: boolean;
  /** Absent: nobody was asked. */
  readonly approval_id: string | undefined;
  readonly permission: Permission;
}

/** Permitted calls of one turn that have not run yet. Each runs once. */
export class PermittedCalls {
  readonly #calls = new Map<string, PermittedCall[]>();

  add(permitted: PermittedCall): void {
    const key = inputHash(permitted.call.tool, permitted.input);
    this.#calls.set(key, [...(this.#calls.get(key) ?? []), permitted]);
  }

  /** The model's id distinguishes equal calls; after a restart an engine may use another id. */
  take({ tool, input, tool_use_id }: PermittedRun): PermittedCall | undefined {
    const key = inputHash(tool, input);
    const calls = this.#calls.get(key);
    if (calls === undefined) return undefined;
    const taken = calls.find(({ call }) => call.tool_use_id === tool_use_id) ?? calls[0];
    const left = calls.filter((call) => call !== taken);
    if (left.length === 0) this.#calls.delete(key);
    else this.#calls.set(key, left);
    return taken;
  }

  clear(): void {
    this.#calls.clear();
  }
}

interface PermittedRun {
  readonly tool: string;
  readonly input: DecidedCall["input"];
  readonly tool_use_id: string | undefined;
}

/** Runs a call as it was permitted. If something has changed since, it is decided again. */
export async function runPermitted(
  session: PermittingSession,
  toolbox: Toolbox,
  {
    tool,
    input,
    options,
  }: { readonly tool: string; readonly input: DecidedCall["input"]; readonly options: RunToolOptions },
): Promise<ToolResult> {
  const { signal, tool_use_id } = options;
  let permitted = session.permitted.take({ tool, input, tool_use_id });
  for (let round = 0; permitted !== undefined; round += 1) {
    const result = await toolbox.run(tool, permitted.input, { ...options, permission: permitted.permission });
    if (result.changed === undefined || round === LIMITS.changedQuestions)
      return withInstructions(session, permitted, result);
    const verdict = await permitAgain(session, permitted, signal);
    if (verdict.effect === "deny")
      return errorResult(verdict.message, { refusal: { status: verdict.status, interrupt: verdict.interrupt } });
    permitted = session.permitted.take({ tool, input: verdict.input, tool_use_id });
  }
  return errorResult("This call was not permitted.");
}

/** The result with the instructions of the folders that the call went to, where its agent does not know them. */
async function withInstructions(
  session: PermittingSession,
  { call, permission }: PermittedCall,
  result: ToolResult,
): Promise<ToolResult> {
  if (result.is_error || permission.judged.size === 0) return result;
  const agent = session.state.turn?.items[call.item_id]?.parent_id ?? "";
  const paths = [...permission.judged.values()];
  // What the call has shown to be a file need not be looked at again: mostly no folder is left to look into.
  const places = toolFacts(call.tool)?.of_file === true ? paths.map((path) => dirname(path)) : paths;
  const text = await nestedInstructions(session, agent, places);
  return text === "" ? result : { ...result, content: [...result.content, { type: "text", text }] };
}

/** What an agent must be told where it works now, journaled. Empty: nothing. */
export async function nestedInstructions(
  session: Pick<PermittingSession, "instructions" | "execute">,
  agent: string,
  paths: readonly string[],
): Promise<string> {
  const text = await session.instructions.nested(agent, paths);
  if (text !== "") void session.execute({ type: "instruct", ...session.instructions.told }).catch(() => undefined);
  return text;
}
