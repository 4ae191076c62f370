import {
  instructionWords,
  isToolItem,
  LIMITS,
  Transcript,
  type Delta,
  type Item,
  type StreamFrame,
  type ToolItem,
  type ConversationEntry,
  type TranscriptNotice,
  type TurnEnd,
  type TurnView,
} from "../../protocol/index.ts";
import type { Screen } from "../terminal/screen.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { endCard, titleOf, todoLines } from "./cards.ts";
import { LiveOutput } from "./live-output.ts";

export interface TranscriptOptions {
  readonly screen: Screen;
  /** Paths are shown relative to this. */
  readonly workspace: string;
  /** The person has just typed this turn's prompt: it is not repeated. */
  readonly ownTurn?: string | undefined;
}

interface ShownItem {
  /** Characters of a message that stand on the screen already. */
  shown: number;
  readonly output: LiveOutput;
}

/** A session as a person reads it, frame by frame. The inbox shows approvals. */
export class TerminalTranscript {
  readonly #options: TranscriptOptions;
  readonly #transcript = new Transcript(LIMITS.toolOutputChars);
  readonly #open = new Map<string, ShownItem>();

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  take(frame: StreamFrame): void {
    for (const entry of this.#transcript.apply(frame)) this.#show(entry);
    if (frame.type === "item.delta") this.#grow(frame);
    else if (frame.type === "item.completed") this.#complete(frame.item);
    else if (frame.type === "item.updated") this.#update(frame.item);
    // What stands on the screen stays there.
    this.#transcript.forgetEnded();
  }

  #show(entry: ConversationEntry): void {
    const { screen } = this.#options;
    const turn = this.#transcript.turns.get(entry.turn);
    switch (entry.kind) {
      case "queued":
      case "prompt":
        return turn === undefined ? undefined : this.#prompt(turn);
      case "steer": {
        const steered = this.#transcript.turns.get(entry.prompt);
        return steered === undefined ? undefined : this.#prompt(steered);
      }
      case "end":
        return this.#end(entry.event);
      case "item":
        return this.#start(this.#transcript.items.get(entry.item)?.item);
      case "notice":
        return this.#notice(entry.event);
      case "unknown":
        return screen.line(
          screen.paint.yellow(`! an event of an unknown kind: ${oneLine(JSON.stringify(entry.event), 300)}`),
        );
      case "question":
        return undefined;
    }
  }

  #prompt({ id, prompt, by, state }: TurnView): void {
    const { screen, ownTurn } = this.#options;
    const { paint } = screen;
    if (state === "queued")
      return screen.line(paint.dim(`⏳ waits behind another prompt: ${oneLine(prompt.text, 100)}`));
    if (id === ownTurn || state === "removed") return undefined;
    const name = paint.dim(`(${visible(by.name)})`);
    return screen.line(`${paint.cyan("❯")} ${paint.bold(oneLine(prompt.text, 300))} ${name}`);
  }

  #end(event: TurnEnd): void {
    const { screen } = this.#options;
    const { paint } = screen;
    if (event.type === "turn.completed") {
      if (event.stop_reason === "end_turn") return screen.endLine();
      return screen.line(paint.dim(`the turn ended: ${visible(event.stop_reason)}`));
    }
    if (event.error.code === "aborted") return screen.line(paint.yellow("… the turn was interrupted"));
    return screen.line(paint.red(`✗ the turn failed: ${visible(event.error.message)} (${event.error.code})`));
  }

  #notice(event: TranscriptNotice): void {
    const { screen } = this.#options;
    const { paint } = screen;
    switch (event.type) {
      case "turn.resumed":
        return screen.line(paint.dim("↻ the server was restarted and continues this turn"));
      case "error":
        return screen.line(paint.yellow(`! ${visible(event.message)}`));
      case "instructions.loaded":
        for (const words of instructionWords(event)) screen.line(paint.dim(`· ${visible(words)}`));
        return undefined;
      case "session.updated":
        if (event.paused !== undefined) screen.line(event.paused ? paint.yellow("⏸ paused") : paint.dim("▶ resumed"));
        if (event.forked_from !== undefined) screen.line(paint.dim(`⑂ forked from ${event.forked_from.session_id}`));
        if (event.error !== undefined)
          screen.line(paint.red(`✗ ${visible(event.error.message)} (${event.error.code})`));
        if (event.status === "complete") screen.line(paint.dim("the session was closed"));
        return undefined;
      case "budget.updated":
      case "approval.resolved":
        return undefined;
    }
  }

  #start(item: Item | undefined): void {
    if (item === undefined) return;
    this.#open.set(item.id, { shown: 0, output: this.#outputOf(item) });
    if (item.status !== "in_progress") return;
    const { workspace, screen } = this.#options;
    const { paint } = screen;
    if (item.type === "command_execution") this.#line(item, paint.bold(`$ ${titleOf(item, workspace)}`));
    if (item.type === "subagent")
      this.#line(item, `${paint.cyan("▸")} ${paint.bold(item.tool)} ${titleOf(item, workspace)}`);
  }

  #outputOf(item: Item): LiveOutput {
    return new LiveOutput((line) => this.#line(item, this.#options.screen.paint.dim(`  │ ${line}`)));
  }

  #update(item: Item): void {
    const open = this.#open.get(item.id);
    if (open === undefined) return;
    if (item.type === "agent_message" || item.type === "reasoning")
      this.#speak(open, item, item.text.slice(open.shown));
    // Who comes late finds the output so far in the item; who was there has seen it already.
    if (item.type === "command_execution" && open.output.empty && item.aggregated_output !== "")
      open.output.add(item.aggregated_output);
  }

  #grow({ item_id, field, delta }: Delta): void {
    const open = this.#open.get(item_id);
    const item = this.#transcript.items.get(item_id)?.item;
    if (open === undefined || item === undefined) return;
    if (field === "text") this.#speak(open, item, delta);
    if (field === "output" && item.type === "command_execution") open.output.add(delta);
  }

  /** A sub-agent's words come when they are complete: two agents would talk into each other's lines. */
  #speak(open: ShownItem, { type, parent_id }: Item, text: string): void {
    if (text === "" || parent_id !== undefined) return;
    open.shown += text.length;
    if (type === "reasoning") this.#options.screen.murmur(visible(text));
    else this.#options.screen.say(visible(text));
  }

  #complete(item: Item): void {
    const open = this.#open.get(item.id);
    this.#open.delete(item.id);
    if (open === undefined) return;
    const { screen } = this.#options;
    const { paint } = screen;
    if (isToolItem(item)) return this.#completeTool(item, open);
    switch (item.type) {
      case "agent_message":
      case "reasoning":
        this.#speak(open, item, item.text.slice(open.shown));
        if (item.parent_id !== undefined && item.type === "agent_message")
          for (const line of item.text.trim().split("\n")) this.#line(item, visible(line));
        screen.endLine();
        if (item.status === "superseded") screen.line(paint.dim("… that message was cut off and is asked for again"));
        return undefined;
      case "compaction":
        return screen.line(
          paint.dim(`⇣ the conversation was summarised (${item.tokens_before.toLocaleString("en-US")} tokens before)`),
        );
      case "error":
        return screen.line(paint.red(`✗ ${visible(item.message)}`));
    }
  }

  #completeTool(item: ToolItem, { output }: ShownItem): void {
    const { screen, workspace } = this.#options;
    if (item.type === "command_execution" && item.exit_code !== undefined) {
      if (output.empty) output.add(item.aggregated_output.replace(/^Exit code \d+\n?/, ""));
      output.end();
    }
    for (const line of endCard(item, workspace, screen.paint)) this.#line(item, line);
    if (item.type === "todo_list") for (const line of todoLines(item.items, screen.paint)) this.#line(item, line);
  }

  /** Below the sub-agents that it is part of. */
  #line({ parent_id }: Item, text: string): void {
    let depth = 0;
    for (let id = parent_id; id !== undefined; id = this.#transcript.items.get(id)?.item.parent_id) depth += 1;
    this.#options.screen.line(`${"  ".repeat(depth)}${text}`);
  }
}
