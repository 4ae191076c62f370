import type { Readable } from "node:stream";
import { z } from "zod";
import type { LoadedInstructions, RepositoryHook } from "../../instructions/index.ts";
import { firstAbort, LIMITS, type Ruling } from "../../protocol/index.ts";
import type { RepositoryTrust } from "../mcp/repository-trust.ts";
import type { Session } from "../core/session.ts";
import type { DecidedCall } from "./permit.ts";

const Said = z.looseObject({
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({ permissionDecision: z.string().optional(), permissionDecisionReason: z.string().optional() })
    .optional(),
});

/** What the hooks of a repository need of its session. */
interface RepositorySession extends Pick<Session, "state" | "environment"> {
  readonly instructions: { readonly current: Pick<LoadedInstructions, "repository"> };
  readonly servers: { readonly trust: Pick<RepositoryTrust, "approved"> };
}

/**
 * Runs the hooks that a person approved, in the session's sandbox, before a call. They can refuse the call or have a person asked; nothing
 * that they say allows anything. Undefined: they say nothing.
 */
export async function ruledByHooks(
  session: RepositorySession,
  call: Pick<DecidedCall, "tool" | "input" | "tool_use_id">,
  signal: AbortSignal,
): Promise<Ruling | undefined> {
  if (session.servers.trust.approved === undefined) return undefined;
  const hooks = session.instructions.current.repository.hooks.filter(({ matcher }) => matches(matcher, call.tool));
  let asked: Ruling | undefined;
  for (const hook of hooks) {
    const ruling = await run(session, hook, { call, signal });
    if (ruling?.effect === "deny") return ruling;
    asked ??= ruling;
  }
  return asked;
}

/** As Claude Code does: the whole name. */
function matches(matcher: string, tool: string): boolean {
  return (
    matcher === "" || matcher.split("|").some((name) => new RegExp(`^${name.replaceAll(/\.?\*/g, ".*")}$`).test(tool))
  );
}

async function run(
  session: RepositorySession,
  { command, timeout_ms }: RepositoryHook,
  {
    call,
    signal,
  }: { readonly call: Pick<DecidedCall, "tool" | "input" | "tool_use_id">; readonly signal: AbortSignal },
): Promise<Ruling | undefined> {
  const { state } = session;
  const { workspace } = state.settings;
  const { sandbox } = await session.environment();
  const input = {
    session_id: state.id,
    cwd: workspace,
    hook_event_name: "PreToolUse",
    tool_name: call.tool,
    tool_input: call.input,
    tool_use_id: call.tool_use_id,
  };
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeout_ms);
  const { signal: late, release } = firstAbort(signal, timeout.signal);
  try {
    const env = { CLAUDE_PROJECT_DIR: workspace };
    const process = await sandbox.open({ argv: ["/bin/sh", "-c", command], cwd: workspace, env });
    const stop = (): void => void process.kill({ graceMs: 0 });
    late.addEventListener("abort", stop, { once: true });
    if (late.aborted) stop();
    process.stdin.on("error", () => undefined);
    process.stdin.end(JSON.stringify(input));
    const [out, errors, { code }] = await Promise.all([head(process.stdout), head(process.stderr), process.exit]);
    if (late.aborted) return ask("it did not end in time");
    return verdict(code, out, errors);
  } catch {
    return ask("it could not be run");
  } finally {
    clearTimeout(timer);
    release();
  }
}

function verdict(code: number | null, out: string, errors: string): Ruling | undefined {
  if (code === 2) return deny(errors.trim());
  if (code !== 0) return ask(`it ended with exit code ${code ?? "?"}`);
  const said = Said.safeParse(parsed(out)).data;
  const { permissionDecision: decision, permissionDecisionReason: why } = said?.hookSpecificOutput ?? {};
  if (decision === "deny" || said?.decision === "block") return deny(why ?? said?.reason ?? "");
  return decision === "ask" ? ask(why ?? "") : undefined;
}

const RULE = "a hook of the repository";

function deny(why: string): Ruling {
  return { effect: "deny", step: "hooks", rule: RULE, why: `${RULE} refused it: ${short(why)}` };
}

/** Also what a broken hook does: nobody knows what it would have said. */
function ask(why: string): Ruling {
  return { effect: "ask", step: "hooks", rule: RULE, why: `${RULE} wants a person to decide: ${short(why)}` };
}

function short(why: string): string {
  return why === "" ? "it gives no reason" : why.slice(0, LIMITS.mcpReasonChars);
}

/** The beginning of what it writes; the rest is read and forgotten. */
async function head(stream: Readable): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  for await (const chunk of stream) if (text.length < LIMITS.repositoryHookChars) text += String(chunk);
  return text.slice(0, LIMITS.repositoryHookChars);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
