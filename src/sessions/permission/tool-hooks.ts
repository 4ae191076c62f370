import { z } from "zod";
import { toolListed } from "../../gate/index.ts";
import { Failure, LIMITS, type HookedCall, type HookRuling, type Ruling, type ToolHook } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";
import type { Ruled } from "./ruling.ts";

const Declared = z.object({
  name: z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must have letters, digits and - alone"),
  tools: z.array(z.string().min(1).max(LIMITS.toolNameChars)).max(LIMITS.hookTools).optional(),
  before: z.custom<ToolHook["before"]>((value) => typeof value === "function", "must be a function"),
});

/** The hooks as they were given. A Failure names what is wrong with one. */
export function checkedHooks(hooks: readonly ToolHook[]): readonly ToolHook[] {
  if (hooks.length > LIMITS.toolHooks)
    throw new Failure("invalid_request", `there may be ${LIMITS.toolHooks} hooks`, { hooks: hooks.length });
  for (const [index, hook] of hooks.entries()) {
    const issue = Declared.safeParse(hook).error?.issues[0];
    if (issue === undefined) continue;
    throw new Failure("invalid_request", `hooks.${[index, ...issue.path].join(".")}: ${issue.message}`);
  }
  return hooks;
}

const Answer = z.union([z.undefined(), z.object({ deny: z.string() }), z.object({ ask: z.string() })]);

interface HookedSession {
  readonly session_id: string;
  readonly workspace: string;
  readonly hooks: readonly ToolHook[];
  readonly clock: Pick<Clock, "after">;
}

/** The ruling after all hooks: never wider than the gate's. The first objection that denies ends it. */
export async function withHooks(ruled: Ruled, session: HookedSession): Promise<Ruled> {
  const { call, facts, context } = ruled;
  let { ruling } = ruled;
  for (const hook of session.hooks) {
    if (ruling.effect === "deny") break;
    if (hook.tools !== undefined && !toolListed(hook.tools, call.tool)) continue;
    const { session_id, workspace } = session;
    const asked = { session_id, workspace, tool: call.tool, input: call.input, tier: facts.tier };
    const answer = await answerOf(hook, asked, session.clock);
    ruling = narrowed(ruling, { answer, name: hook.name, neverAsk: context.neverAsk });
  }
  return { ...ruled, ruling };
}

async function answerOf(hook: ToolHook, call: HookedCall, clock: Pick<Clock, "after">): Promise<HookRuling> {
  let cancel = (): void => undefined;
  const late = new Promise<HookRuling>((resolve) => {
    cancel = clock.after(LIMITS.hookMs, () =>
      resolve({ deny: `it did not answer within ${LIMITS.hookMs / 1_000} s.` }),
    );
  });
  try {
    const parsed = Answer.safeParse(await Promise.race([(async () => hook.before(call))(), late]));
    return parsed.success ? parsed.data : { deny: "it answered with something that is no ruling." };
  } catch (error) {
    return { deny: `it failed: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    cancel();
  }
}

interface HookObjection {
  readonly answer: HookRuling;
  readonly name: string;
  readonly neverAsk: boolean;
}

function narrowed(ruling: Ruling, { answer, name, neverAsk }: HookObjection): Ruling {
  if (answer === undefined) return ruling;
  if ("deny" in answer) return { effect: "deny", step: "hooks", rule: name, why: answer.deny };
  if (ruling.effect === "ask") return ruling;
  return { effect: neverAsk ? "deny" : "ask", step: "hooks", rule: name, why: answer.ask };
}
