import {
  isToolItem,
  LIMITS,
  type ErrorDetail,
  type JournalEvent,
  type Prompt,
  type ToolItem,
} from "../../protocol/index.ts";
import type { Capabilities, Conversation, ConversationOptions, Engine, Host, TurnChannel } from "../engine.ts";
import { BashCalls } from "./call.ts";

const CAPABILITIES: Capabilities = {
  streaming: false,
  thinking: false,
  parallel_tools: false,
  edited_input: true,
  images: false,
  subagents: false,
  structured_output: false,
  agents: false,
  fork: true,
  resume_turn: true,
  steer: false,
  warm: false,
};

/** No model: a prompt is a command for bash, and runs as an agent's Bash call would. */
export function createCommandEngine(): Engine {
  return {
    id: "command",
    capabilities: CAPABILITIES,
    instructions: "none",
    wires: [],
    open: (opening, host) => Promise.resolve(new CommandConversation(opening, host)),
  };
}

const ABORTED: ErrorDetail = { code: "aborted", message: "aborted" };
const NO_TIME: ErrorDetail = { code: "timed_out", message: "the job's time was over before all of its commands ran" };
const TEXT_ONLY: ErrorDetail = {
  code: "invalid_request",
  message: "the engine command takes text alone; send the prompt without attachments",
};

/** Where a turn is. */
interface CommandTurn {
  readonly commands: readonly string[];
  /** The call that a dead server left open. */
  readonly open?: ToolItem | undefined;
  /** Milliseconds that its commands have run. */
  readonly spent: number;
}

class CommandConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;

  constructor(opening: ConversationOptions, host: Host) {
    this.#opening = opening;
    this.#host = host;
  }

  async turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    if (prompt.attachments !== undefined && prompt.attachments.length > 0)
      return channel.tell([{ type: "turn.failed", error: TEXT_ONLY }]);
    await this.#run({ commands: this.#commands(prompt.text), spent: 0 }, channel);
  }

  /** A command that had begun is not run again: `permit` refuses it. */
  async resumeTurn([open]: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    const { text, ended } = await lastTurn(this.#opening.history());
    const last = ended.at(-1);
    if (open === undefined && last !== undefined && !succeeded(last)) return channel.tell([endOf(last)]);
    const spent = ended.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0);
    await this.#run({ commands: this.#commands(text).slice(ended.length), open, spent }, channel);
  }

  async close(): Promise<void> {}

  #commands(text: string): readonly string[] {
    return this.#opening.settings.job?.commands ?? [text];
  }

  async #run({ commands, open, spent: before }: CommandTurn, channel: TurnChannel): Promise<void> {
    const { job } = this.#opening.settings;
    const calls = new BashCalls(this.#host, { channel, maxChars: job?.max_output_chars });
    let spent = before;
    for (const [index, command] of commands.entries()) {
      const left = (job?.timeout_ms ?? LIMITS.jobTimeMs) - spent;
      if (channel.signal.aborted) return channel.tell([{ type: "turn.failed", error: ABORTED }]);
      if (left < 1) return channel.tell([{ type: "turn.failed", error: NO_TIME }]);
      const { item, stopped } = await calls.run(
        index === 0 && open !== undefined ? open : await calls.begin(command, left),
      );
      spent += item.duration_ms ?? 0;
      const completed = { type: "item.completed", item } as const;
      if (channel.signal.aborted) return channel.tell([completed, { type: "turn.failed", error: ABORTED }]);
      if (stopped !== undefined) return channel.tell([completed, { type: "turn.failed", error: stopped }]);
      if (index === commands.length - 1 || !succeeded(item)) return channel.tell([completed, endOf(item)]);
      await channel.tell([completed]);
    }
  }
}

function succeeded({ status }: ToolItem): boolean {
  return status === "completed";
}

/** `exited`: the last command ended by itself. */
function endOf(item: ToolItem): { readonly type: "turn.completed"; readonly stop_reason: string } {
  const isOver = item.type === "command_execution" && item.exit_code !== undefined;
  return { type: "turn.completed", stop_reason: isOver ? "exited" : item.status };
}

/** The prompt of the last turn, and its calls that have ended. */
async function lastTurn(
  history: AsyncIterable<JournalEvent>,
): Promise<{ readonly text: string; readonly ended: readonly ToolItem[] }> {
  let text = "";
  let ended: ToolItem[] = [];
  for await (const event of history) {
    if (event.type === "turn.started") {
      ({ text } = event.prompt);
      ended = [];
    } else if (event.type === "item.completed" && isToolItem(event.item)) ended.push(event.item);
  }
  return { text, ended };
}
