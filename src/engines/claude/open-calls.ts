import { endToolItem, outputText, type ContentBlock, type ToolItem } from "../../protocol/index.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Host, Verdict } from "../engine.ts";
import { asApproved } from "../loop/tool-phase.ts";
import type { Promised } from "./promises.ts";
import { callAgain, type Fate } from "./say.ts";
import type { TurnRun } from "./turn.ts";
import type { Fields } from "./wire.ts";

/** Only the vendor's program can run a sub-agent. */
const SUBAGENTS: ReadonlySet<string> = new Set(["Agent", "Task"]);

const ASK_AGAIN =
  "It was not run: the server was restarted before anybody had approved it. Call it again if it is needed.";

/** What became of the calls that a dead server left open. */
export interface Settled {
  readonly fates: readonly Fate[];
  /** Calls that only the vendor's program can make once more. */
  readonly promised: readonly Promised[];
}

/**
 * Decides on the calls that a dead server left open, a sub-agent's own ones too, and runs those that are allowed: here, with our
 * own tools, under the ids that they were asked about. The vendor's process that made them is dead and will never run them. Each
 * call that may not run beside others runs alone and in order; it is marked as running only when its turn has come.
 */
export async function settleOpenCalls(
  { run, host }: { readonly run: TurnRun; readonly host: Host },
  open: readonly ToolItem[],
): Promise<Settled> {
  const promised: Promised[] = [];
  const ends: Promise<Fate>[] = [];
  for (const item of open) {
    const isAlone = !host.toolbox.concurrent(item.tool);
    const earlier = ends.filter((_, index) => isAlone || !host.toolbox.concurrent(open[index]?.tool ?? ""));
    ends.push(settle({ run, host, promised }, item, Promise.allSettled(earlier)));
  }
  return { fates: await Promise.all(ends), promised };
}

interface Means {
  readonly run: TurnRun;
  readonly host: Host;
  readonly promised: Promised[];
}

async function settle({ run, host, promised }: Means, item: ToolItem, ready: Promise<unknown>): Promise<Fate> {
  const isSubagent = SUBAGENTS.has(item.tool);
  const verdict = await run.ask(item, run.signal, isSubagent ? { withdraw: true } : { ready });
  if (verdict.effect === "deny") return refuse(run, item, isSubagent ? withdrawn(verdict) : verdict);
  if (isSubagent) {
    promised.push({ item, input: verdict.input });
    return { item, message: callAgain(item.tool, verdict.input) };
  }
  const result = await host.toolbox.run(item.tool, verdict.input, {
    tool_use_id: item.tool_use_id,
    signal: run.signal,
    onOutput: (delta) => run.tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]),
  });
  return tell(run, asApproved(item, verdict.input), result);
}

function tell(run: TurnRun, item: ToolItem, result: ToolResult): Fate {
  const { content, is_error, refusal, ...details } = result;
  // It was asked about again when it was about to run, because something had changed.
  if (refusal !== undefined) return refuse(run, item, { effect: "deny", message: outputText(content), ...refusal });
  const failed = run.signal.aborted ? "interrupted" : "failed";
  const ended = endToolItem(item, { status: is_error ? failed : "completed", output: content, is_error, ...details });
  run.tell([{ type: "item.completed", item: ended }]);
  return { item, message: outputText(content), images: content.flatMap(imageOf) };
}

function refuse(run: TurnRun, item: ToolItem, verdict: Extract<Verdict, { effect: "deny" }>): Fate {
  const output = [{ type: "text" as const, text: verdict.message }];
  run.tell([{ type: "item.completed", item: endToolItem(item, { status: verdict.status, output, is_error: true }) }]);
  if (verdict.interrupt) run.stop({ code: "rejected_and_stopped", message: verdict.message });
  return { item, message: verdict.message };
}

/** Nobody has answered: the model asks again where it still needs it. */
function withdrawn(verdict: Extract<Verdict, { effect: "deny" }>): Extract<Verdict, { effect: "deny" }> {
  return verdict.status === "interrupted" ? { ...verdict, message: ASK_AGAIN } : verdict;
}

function imageOf(block: ContentBlock): readonly Fields[] {
  if (block.type !== "image") return [];
  return [{ type: "image", source: { type: "base64", media_type: block.media_type, data: block.data } }];
}
