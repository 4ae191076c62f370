import {
  endToolItem,
  Failure,
  NOT_RUN,
  startToolItem,
  type ContentBlock,
  type ErrorDetail,
  type ToolItem,
} from "../../protocol/index.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Host, TurnChannel, Verdict } from "../engine.ts";

const TOOL = "Bash";

interface BashCallsOptions {
  readonly channel: TurnChannel;
  /** A command that writes more is ended. Absent: none is. */
  readonly maxChars: number | undefined;
}

/** A command that has ended, and why the turn must end too; absent: it need not. */
interface EndedCall {
  readonly item: ToolItem;
  readonly stopped?: ErrorDetail | undefined;
}

/** Commands of one turn: told, permitted, run. */
export class BashCalls {
  readonly #host: Host;
  readonly #channel: TurnChannel;
  readonly #maxChars: number | undefined;

  constructor(host: Host, { channel, maxChars }: BashCallsOptions) {
    this.#host = host;
    this.#channel = channel;
    this.#maxChars = maxChars;
  }

  /** `timeout`: milliseconds that it may run. */
  async begin(command: string, timeout: number): Promise<ToolItem> {
    const { newId } = this.#host;
    const input = { command, timeout };
    const item = startToolItem({ id: newId("item"), tool: TOOL, tool_use_id: newId("item"), input });
    await this.#channel.tell([{ type: "item.started", item }]);
    return item;
  }

  async run(item: ToolItem): Promise<EndedCall> {
    const verdict = await this.#permit(item);
    if (verdict.effect === "allow") return { item: await this.#execute(item, verdict.input) };
    const { message, status, interrupt } = verdict;
    return {
      item: refused(item, message, status),
      stopped: interrupt ? { code: "rejected_and_stopped", message } : undefined,
    };
  }

  async #permit({ id, input }: ToolItem): Promise<Verdict> {
    const { signal } = this.#channel;
    try {
      return await this.#host.permit({ item_id: id, input }, signal);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const message = signal.aborted ? NOT_RUN : `Error: ${error.message}`;
      return { effect: "deny", message, status: signal.aborted ? "interrupted" : "failed", interrupt: false };
    }
  }

  async #execute(item: ToolItem, input: Readonly<Record<string, unknown>>): Promise<ToolItem> {
    const { signal } = this.#channel;
    if (signal.aborted) return refused(item, NOT_RUN, "interrupted");
    const { elapsed, toolbox } = this.#host;
    const tooMuch = new AbortController();
    let chars = 0;
    const onOutput = (delta: string): void => {
      chars += delta.length;
      if (chars > (this.#maxChars ?? Infinity)) tooMuch.abort();
      if (!tooMuch.signal.aborted)
        void this.#channel.tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]);
    };
    const started = elapsed();
    const result = await toolbox.run(TOOL, input, {
      signal: AbortSignal.any([signal, tooMuch.signal]),
      onOutput,
      tool_use_id: item.tool_use_id,
    });
    const duration_ms = Math.max(0, Math.round(elapsed() - started));
    const { content, is_error, exit_code, refusal } = result;
    if (refusal !== undefined)
      return endToolItem(item, { status: refusal.status, output: content, is_error, duration_ms });
    if (tooMuch.signal.aborted && exit_code === undefined)
      return endToolItem(item, { status: "failed", output: this.#cut(result), is_error: true, duration_ms });
    const failed = signal.aborted ? "interrupted" : "failed";
    const status = is_error ? failed : "completed";
    return endToolItem(item, { status, output: content, is_error, duration_ms, exit_code });
  }

  #cut({ content }: ToolResult): readonly ContentBlock[] {
    const words = `The command was ended: it wrote more than ${this.#maxChars ?? 0} characters.`;
    return [{ type: "text", text: words }, ...content];
  }
}

function refused(item: ToolItem, message: string, status: Extract<Verdict, { effect: "deny" }>["status"]): ToolItem {
  return endToolItem(item, { status, output: [{ type: "text", text: message }], is_error: true });
}
