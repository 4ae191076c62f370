import {
  isToolItem,
  type Delta,
  type Item,
  type JournalEvent,
  type StreamFrame,
  type ToolItem,
} from "../../protocol/index.ts";
import type { Screen } from "../terminal/screen.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { depthOf, endCard, titleOf, todoLines } from "./cards.ts";
import { LiveOutput } from "./live-output.ts";

export interface TranscriptOptions {
  readonly screen: Screen;
  /** Paths are shown relative to this. */
  readonly workspace: string;
  /** The person has just typed this turn's prompt: it is not repeated. */
  readonly ownTurn?: string | undefined;
}

interface ShownItem {
  readonly item: Item;
  /** Characters of a message that are already on the screen. */
  shown: number;
  readonly output: LiveOutput;
}

/** A session as a person reads it, frame by frame. The inbox shows approvals. */
export class TerminalTranscript {
  readonly #options: TranscriptOptions;
  readonly #open = new Map<string, ShownItem>();
  /** The nesting depth of each sub-agent. */
  readonly #depths = new Map<string, number>();

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  take(frame: StreamFrame): void {
    switch (frame.type) {
      case "item.started":
        return this.#start(frame.item);
      case "item.updated":
        return this.#update(frame.item);
      case "item.delta":
        return this.#grow(frame);
      case "item.completed":
        return this.#complete(frame.item);
      default:
        return this.#tell(frame);
    }
  }

  #tell(event: Exclude<JournalEvent, { type: "item.started" | "item.updated" | "item.completed" }>): void {
    const { screen } = this.#options;
    const { paint } = screen;
    switch (event.type) {
      case "turn.queued":
        return screen.line(paint.dim(`⏳ waits behind another prompt: ${oneLine(event.prompt.text, 100)}`));
      case "turn.started":
        if (event.turn_id === this.#options.ownTurn) return undefined;
        return screen.line(
          `${paint.cyan("❯")} ${paint.bold(oneLine(event.prompt.text, 300))} ${paint.dim(`(${visible(event.by.name)})`)}`,
        );
      case "turn.resumed":
        return screen.line(paint.dim("↻ the server was restarted and continues this turn"));
      case "turn.completed":
        if (event.stop_reason === "end_turn") return screen.endLine();
        return screen.line(paint.dim(`the turn ended: ${visible(event.stop_reason)}`));
      case "turn.failed":
        if (event.error.code === "aborted") return screen.line(paint.yellow("… the turn was interrupted"));
        return screen.line(paint.red(`✗ the turn failed: ${visible(event.error.message)} (${event.error.code})`));
      case "session.updated":
        return this.#status(event);
      case "error":
        return screen.line(paint.yellow(`! ${visible(event.message)}`));
      case "thread.started":
      case "usage.updated":
      case "budget.updated":
      case "approval.requested":
      case "approval.resolved":
        return undefined;
    }
  }

  #status(event: Extract<JournalEvent, { type: "session.updated" }>): void {
    const { screen } = this.#options;
    const { paint } = screen;
    if (event.paused === true) screen.line(paint.yellow("⏸ paused"));
    if (event.paused === false) screen.line(paint.dim("▶ resumed"));
    if (event.forked_from !== undefined) screen.line(paint.dim(`⑂ forked from ${event.forked_from.session_id}`));
    if (event.error !== undefined) screen.line(paint.red(`✗ ${visible(event.error.message)} (${event.error.code})`));
    if (event.status === "complete") screen.line(paint.dim("the session was closed"));
  }

  #start(item: Item): void {
    const depth = depthOf(item, this.#depths);
    if (item.type === "subagent") this.#depths.set(item.id, depth);
    const output = new LiveOutput((line) => this.#line(depth, this.#options.screen.paint.dim(`  │ ${line}`)));
    this.#open.set(item.id, { item, shown: 0, output });
    const { paint } = this.#options.screen;
    if (item.type === "command_execution") this.#line(depth, paint.bold(`$ ${titleOf(item, this.#options.workspace)}`));
    if (item.type === "subagent")
      this.#line(depth, `${paint.cyan("▸")} ${paint.bold(item.tool)} ${titleOf(item, this.#options.workspace)}`);
  }

  #update(item: Item): void {
    if (!this.#open.has(item.id)) this.#start(item);
    const open = this.#open.get(item.id);
    if (open === undefined) return;
    if (item.type === "agent_message" || item.type === "reasoning") this.#speak(open, item.text.slice(open.shown));
    // A late watcher finds the output so far in the item; an earlier one has already seen it.
    if (item.type === "command_execution" && open.output.empty && item.aggregated_output !== "")
      open.output.add(item.aggregated_output);
  }

  #grow(delta: Delta): void {
    const open = this.#open.get(delta.item_id);
    if (open === undefined) return;
    if (delta.field === "text") this.#speak(open, delta.delta);
    if (delta.field === "output" && open.item.type === "command_execution") open.output.add(delta.delta);
  }

  /** A sub-agent's text is shown when complete: two agents would mix up their lines. */
  #speak(open: ShownItem, text: string): void {
    if (text === "" || open.item.parent_id !== undefined) return;
    open.shown += text.length;
    if (open.item.type === "reasoning") this.#options.screen.murmur(visible(text));
    else this.#options.screen.say(visible(text));
  }

  #complete(item: Item): void {
    const open = this.#open.get(item.id);
    this.#open.delete(item.id);
    const depth = depthOf(item, this.#depths);
    const { screen } = this.#options;
    const { paint } = screen;
    if (isToolItem(item)) return this.#completeTool(item, depth, open);
    switch (item.type) {
      case "agent_message":
      case "reasoning":
        if (item.parent_id === undefined)
          this.#speak(
            open ?? { item, shown: 0, output: new LiveOutput(() => undefined) },
            item.text.slice(open?.shown ?? 0),
          );
        else if (item.type === "agent_message")
          for (const line of item.text.trim().split("\n")) this.#line(depth, visible(line));
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

  #completeTool(item: ToolItem, depth: number, open: ShownItem | undefined): void {
    const { screen, workspace } = this.#options;
    if (item.type === "command_execution" && item.exit_code !== undefined) {
      const output = open?.output ?? new LiveOutput((line) => this.#line(depth, screen.paint.dim(`  │ ${line}`)));
      if (output.empty) output.add(item.aggregated_output.replace(/^Exit code \d+\n?/, ""));
      output.end();
    }
    for (const line of endCard(item, workspace, screen.paint)) this.#line(depth, line);
    if (item.type === "todo_list") for (const line of todoLines(item.items, screen.paint)) this.#line(depth, line);
    if (item.type === "subagent") this.#depths.delete(item.id);
  }

  #line(depth: number, text: string): void {
    this.#options.screen.line(`${"  ".repeat(depth)}${text}`);
  }
}
