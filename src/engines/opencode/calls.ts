import { isToolItem, LIMITS, outputText, startToolItem, type ToolItem } from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/tool.ts";
import type { ConversationOptions, EngineEvent, Host, Verdict } from "../engine.ts";
import { runSubagents } from "../loop/engine.ts";
import { structuredEnd, type StructuredEnd } from "../loop/structured.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { keyOf, type VendorFields } from "../vendor/fields.ts";
import type { McpTool } from "./tools.ts";
import type { OpenCodeTurn } from "./turn.ts";

const NOT_PERMITTED = "This call was not permitted.";

/** The tool calls of one turn: each is matched with a call of the model, decided on, and run by our own tools. */
export class OpenCodeCalls {
  readonly #turn: OpenCodeTurn;
  readonly #host: Host;
  readonly #opening: ConversationOptions;
  /** Calls that have not ended. */
  readonly #running = new Map<ToolItem, Promise<unknown>>();
  readonly #arrivals = new Set<() => void>();

  constructor(turn: OpenCodeTurn, { host, opening }: { readonly host: Host; readonly opening: ConversationOptions }) {
    this.#turn = turn;
    this.#host = host;
    this.#opening = opening;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when those that run now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** OpenCode said something: perhaps what a call waits for. */
  arrived(): void {
    for (const look of this.#arrivals) look();
  }

  /** The call with which the model gives its answer in the requested form, as it ended. Undefined: it is another one. */
  async answer(tool_use_id: string): Promise<StructuredEnd | undefined> {
    const { output_schema } = this.#opening.settings;
    const turn = this.#turn;
    const item = await this.#found(() => turn.translator?.open(tool_use_id));
    if (output_schema === undefined || item?.tool !== STRUCTURED_OUTPUT) return undefined;
    const end = structuredEnd(output_schema, item);
    turn.translator?.forget(tool_use_id);
    await turn.tell([{ type: "item.completed", item: end.item }]);
    return end;
  }

  async run(tool: McpTool, input: VendorFields): Promise<ToolResult> {
    const turn = this.#turn;
    const { output_schema } = this.#opening.settings;
    // It was asked about, and did not fit.
    if (tool.name === STRUCTURED_OUTPUT && output_schema !== undefined)
      return errorResult(structuredProblems(output_schema, input));
    const key = keyOf(input);
    const item = await this.#found(() => turn.translator?.claim(tool.name, key));
    if (item === undefined || turn.over) return errorResult(NOT_PERMITTED);
    const work = this.#decide(item, this.#earlier(tool.name));
    this.#running.set(item, work);
    try {
      const result = await work;
      // Answering a turn that is being stopped would make OpenCode ask the model once more.
      if (turn.signal.aborted) await turn.untilOver();
      return result;
    } finally {
      this.#running.delete(item);
    }
  }

  /** What is looked for. The message with it may come a moment later; the wait for that is bounded. */
  async #found(look: () => ToolItem | undefined): Promise<ToolItem | undefined> {
    let item = look();
    if (item !== undefined) return item;
    const found = new AbortController();
    const again = (): void => {
      item ??= look();
      if (item !== undefined) found.abort();
    };
    this.#arrivals.add(again);
    await this.#host.sleep(LIMITS.engineMatchMs, AbortSignal.any([found.signal, this.#turn.signal]));
    this.#arrivals.delete(again);
    return item;
  }

  /** What must have ended before a call begins: one that may not run in parallel runs alone, and in order. */
  #earlier(tool: string): Promise<unknown> {
    const { toolbox } = this.#host;
    const isAlone = !toolbox.traits(tool).concurrent;
    const before = [...this.#running].filter(([item]) => isAlone || !toolbox.traits(item.tool).concurrent);
    return Promise.allSettled(before.map(([, end]) => end));
  }

  async #decide(item: ToolItem, earlier: Promise<unknown>): Promise<ToolResult> {
    const turn = this.#turn;
    await earlier;
    if (item.type === "subagent") return this.#delegate(item);
    const verdict = await turn.ask(item, turn.signal);
    void turn.tell(turn.translator?.decided(item.tool_use_id ?? "", verdict) ?? []);
    if (verdict.effect === "deny") {
      if (verdict.interrupt) turn.refused(item, verdict.message);
      return errorResult(verdict.message);
    }
    const result = await this.#host.toolbox.run(item.tool, verdict.input, {
      tool_use_id: item.tool_use_id,
      signal: turn.signal,
      onOutput: (delta) => void turn.tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]),
    });
    return this.#told(item, result);
  }

  async #told(item: ToolItem, result: ToolResult): Promise<ToolResult> {
    const turn = this.#turn;
    const id = item.tool_use_id ?? "";
    const refused = refusedLate(turn, item, result);
    const events =
      refused === undefined
        ? turn.translator?.ran(id, result, { stopping: turn.signal.aborted })
        : turn.translator?.decided(id, refused);
    await turn.tell(events ?? []);
    return result;
  }

  /** A sub-agent works in our own loop, under the same rules and the same budget. */
  async #delegate(item: ToolItem): Promise<ToolResult> {
    const turn = this.#turn;
    let ended: ToolItem | undefined;
    const tell = (events: readonly EngineEvent[]): Promise<void> => {
      for (const event of events) {
        if (event.type !== "item.completed" || event.item.id !== item.id || !isToolItem(event.item)) continue;
        ended = event.item;
        turn.translator?.forget(item.tool_use_id ?? "");
      }
      return turn.tell(events);
    };
    const stopped = await runSubagents(
      { opening: this.#opening, host: this.#host, channel: { signal: turn.signal, tell } },
      [item],
    );
    if (stopped !== undefined && !turn.signal.aborted) turn.stop(stopped);
    return { content: ended?.output ?? [], is_error: ended?.is_error ?? true };
  }
}

/** One of our tools was asked about again just before it ran, and refused. */
function refusedLate(
  turn: OpenCodeTurn,
  item: ToolItem,
  { content, refusal }: ToolResult,
): Extract<Verdict, { effect: "deny" }> | undefined {
  if (refusal === undefined) return undefined;
  const message = outputText(content);
  if (refusal.interrupt) turn.refused(item, message);
  return { effect: "deny", message, ...refusal };
}

/** What the model reads of an answer that does not fit. */
function structuredProblems(schema: VendorFields, input: VendorFields): string {
  const item = startToolItem({ id: "", tool: STRUCTURED_OUTPUT, tool_use_id: "", input });
  return outputText(structuredEnd(schema, item).item.output ?? []);
}
