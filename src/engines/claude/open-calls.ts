import {
  endToolItem,
  isToolItem,
  outputText,
  type ContentBlock,
  type ImageBlock,
  type Item,
  type ToolItem,
} from "../../protocol/index.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Host, ConversationOptions, Verdict } from "../engine.ts";
import { runSubagents } from "../loop/engine.ts";
import { asApproved } from "../loop/tool-phase.ts";
import type { CallFate } from "./messages.ts";
import type { TurnRun } from "./turn.ts";

/** What a call needs of the turn that it is open in. */
type OpenTurnRun = Pick<TurnRun, "ask" | "signal" | "stop" | "tell">;

interface Means {
  readonly run: OpenTurnRun;
  readonly host: Host;
  readonly opening: ConversationOptions;
}

/**
 * Decides on the calls that a dead server left open and runs those that are allowed: here, with our own tools, under their original ids.
 * The vendor's process that made them is dead and will never run them. A call that may not run in parallel runs alone and in order, and
 * is marked as running only when its turn has come. A sub-agent continues in our own loop, with its open calls.
 */
export async function settleOpenCalls(means: Means, open: readonly ToolItem[]): Promise<readonly CallFate[]> {
  const { host } = means;
  const ends: Promise<CallFate>[] = [];
  for (const item of open) {
    const isAlone = !host.toolbox.traits(item.tool).concurrent;
    const earlier = ends.filter((_, index) => isAlone || !host.toolbox.traits(open[index]?.tool ?? "").concurrent);
    const ready = Promise.allSettled(earlier);
    ends.push(item.type === "subagent" ? goOn(means, item, ready) : settle(means, item, ready));
  }
  return Promise.all(ends);
}

/** Whether a continuing sub-agent has this item open: it takes care of it itself. `known`: everything that is open. */
export function isOfSubagent(item: Item, open: readonly ToolItem[], known: readonly Item[]): boolean {
  const parent = "parent_id" in item ? item.parent_id : undefined;
  if (parent === undefined) return false;
  if (open.some(({ id, type }) => id === parent && type === "subagent")) return true;
  const next = known.find(({ id }) => id === parent);
  return next !== undefined && isOfSubagent(next, open, known);
}

async function settle({ run, host }: Means, item: ToolItem, ready: Promise<unknown>): Promise<CallFate> {
  const verdict = await run.ask(item, run.signal, { ready });
  if (verdict.effect === "deny") return refuse(run, item, verdict);
  const result = await host.toolbox.run(item.tool, verdict.input, {
    tool_use_id: item.tool_use_id,
    signal: run.signal,
    onOutput: (delta) => void run.tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]),
  });
  return end(run, asApproved(item, verdict.input), result);
}

async function goOn({ run, host, opening }: Means, item: ToolItem, ready: Promise<unknown>): Promise<CallFate> {
  await ready;
  let ended: ToolItem | undefined;
  const tell = (events: readonly EngineEvent[]): Promise<void> => {
    for (const event of events)
      if (event.type === "item.completed" && event.item.id === item.id && isToolItem(event.item)) ended = event.item;
    return run.tell(events);
  };
  const stopped = await runSubagents({ opening, host, channel: { signal: run.signal, tell } }, [item]);
  if (stopped !== undefined && !run.signal.aborted) run.stop(stopped);
  return { item, message: outputText(ended?.output ?? []) };
}

function end(run: OpenTurnRun, item: ToolItem, result: ToolResult): CallFate {
  const { content, is_error, refusal, ...details } = result;
  // It was asked about again just before it ran, because something had changed.
  if (refusal !== undefined) return refuse(run, item, { effect: "deny", message: outputText(content), ...refusal });
  const failed = run.signal.aborted ? "interrupted" : "failed";
  const ended = endToolItem(item, { status: is_error ? failed : "completed", output: content, is_error, ...details });
  void run.tell([{ type: "item.completed", item: ended }]);
  return { item, message: outputText(content), images: imagesIn(content) };
}

function refuse(run: OpenTurnRun, item: ToolItem, verdict: Extract<Verdict, { effect: "deny" }>): CallFate {
  const output = [{ type: "text" as const, text: verdict.message }];
  void run.tell([
    { type: "item.completed", item: endToolItem(item, { status: verdict.status, output, is_error: true }) },
  ]);
  if (verdict.interrupt) run.stop({ code: "rejected_and_stopped", message: verdict.message });
  return { item, message: verdict.message };
}

export function imagesIn(content: readonly ContentBlock[]): readonly ImageBlock[] {
  return content.filter((block) => block.type === "image");
}
