import {
  isTerminal,
  isToolItem,
  headOf,
  LIMITS,
  outputText,
  type Item,
  type JournalEvent,
  type Prompt,
} from "../../protocol/index.ts";
import type { EngineEvent, SteeredPrompt } from "../engine.ts";
import { JournaledTurn } from "./replay.ts";

/** More than is ever retold at once, so that the model also learns that something is left out. */
const KEPT_CHARS = 2 * LIMITS.engineHistoryChars;

/** Something said or done at the top level of a turn, in words for the model. */
interface PastCall {
  readonly words: string;
  /** Of a call. */
  readonly tool_use_id?: string;
  /** Of a message: its original text. */
  readonly said?: string;
  /** Of what a person sent into the turn: our id of it. */
  readonly steered?: string;
}

/** A turn as far as it is known. */
export interface TurnStory {
  readonly turn_id: string;
  /** Of the open turn; absent: it has ended, or its beginning is told elsewhere. */
  readonly prompt: Prompt | undefined;
  /** What the person said, in words for the model; empty: told elsewhere. */
  readonly asked: string;
  readonly calls: readonly PastCall[];
  /** Calls that have ended, without those of an ended turn. */
  readonly done: ReadonlySet<string>;
  /** Items that were started but not ended, oldest first. */
  readonly open: readonly Item[];
  /** Of an open turn: what the journal has of it. */
  readonly journaled: JournaledTurn;
  /** How often a server resumed it. */
  readonly resumed: number;
  /** How it ended, in words for the model, empty if it succeeded; absent: it is open. */
  readonly end: string | undefined;
}

interface Telling {
  readonly turn_id: string;
  prompt: Prompt | undefined;
  readonly asked: string;
  readonly calls: PastCall[];
  readonly done: Set<string>;
  readonly open: Map<string, Item>;
  journaled: JournaledTurn;
  resumed: number;
  end: string | undefined;
}

/** The newest turns of a conversation, from the journal or as they happen. Their text is bounded. */
export class Story {
  readonly #turns: Telling[] = [];
  #chars = 0;

  static async of(history: AsyncIterable<JournalEvent>): Promise<Story> {
    const story = new Story();
    for await (const event of history) {
      if (event.type === "turn.started") story.begin(event.turn_id, event.prompt);
      else if (event.type === "turn.steered") story.steer({ id: event.prompt_id, prompt: event.prompt });
      else if (event.type === "turn.resumed") story.#resume();
      else if ("item" in event || isTerminal(event)) story.add(event);
      story.#turns.at(-1)?.journaled.add(event);
    }
    return story;
  }

  get turns(): readonly TurnStory[] {
    return this.#turns.map((turn) => ({ ...turn, open: [...turn.open.values()] }));
  }

  /** `prompt` absent: an earlier turn continues. */
  begin(turn_id: string, prompt: Prompt | undefined): void {
    const asked = prompt === undefined ? "" : `User: ${cut(prompt.text)}`;
    this.#turns.push({
      turn_id,
      prompt,
      asked,
      calls: [],
      done: new Set(),
      open: new Map(),
      journaled: new JournaledTurn(),
      resumed: 0,
      end: undefined,
    });
    this.#count(asked);
  }

  add(event: EngineEvent): void {
    const turn = this.#turns.at(-1);
    if (turn === undefined || turn.end !== undefined) return;
    switch (event.type) {
      case "item.started":
      case "item.updated":
        turn.open.set(event.item.id, event.item);
        return;
      case "item.completed": {
        turn.open.delete(event.item.id);
        const call = callOf(event.item);
        if (call === undefined) return;
        turn.calls.push(call);
        if (call.tool_use_id !== undefined) turn.done.add(call.tool_use_id);
        this.#count(call.words);
        return;
      }
      case "turn.completed":
        this.#end(turn, "");
        return;
      case "turn.failed":
        this.#end(turn, `(The turn ended early: ${event.error.message})`);
        return;
      case "item.delta":
      case "usage":
      case "notice":
    }
  }

  /** A person said something in the middle of the turn. */
  steer({ id, prompt }: SteeredPrompt): void {
    const words = `User: ${cut(prompt.text)}`;
    this.#turns.at(-1)?.calls.push({ words, steered: id });
    this.#count(words);
  }

  #resume(): void {
    const turn = this.#turns.at(-1);
    if (turn !== undefined) turn.resumed += 1;
  }

  #end(turn: Telling, words: string): void {
    turn.prompt = undefined;
    turn.open.clear();
    turn.done.clear();
    turn.journaled = new JournaledTurn();
    turn.end = words;
    this.#count(words);
  }

  /** Forgets the oldest when there is too much. */
  #count(words: string): void {
    this.#chars += words.length;
    while (this.#chars > KEPT_CHARS) {
      const [oldest] = this.#turns;
      const first = oldest?.calls.shift();
      if (first !== undefined) this.#chars -= first.words.length;
      else if (oldest?.end === undefined || this.#turns.length === 1) return;
      else {
        this.#turns.shift();
        this.#chars -= oldest.asked.length + oldest.end.length;
      }
    }
  }
}

/** What was known when a conversation was opened, plus what happened since. The last turn of the one may be the first of the other. */
export function joined(before: readonly TurnStory[], since: readonly TurnStory[]): readonly TurnStory[] {
  const last = before.at(-1);
  const [first, ...rest] = since;
  if (last === undefined || first === undefined || last.turn_id !== first.turn_id) return [...before, ...since];
  const calls = [...last.calls, ...first.calls];
  return [
    ...before.slice(0, -1),
    { ...last, calls, done: new Set([...last.done, ...first.done]), end: first.end },
    ...rest,
  ];
}

/** Turns in words for the model; only as much of the end as the limit allows. */
export function storyOf(turns: readonly TurnStory[]): string {
  return newest(turns.flatMap(({ asked, calls, end = "" }) => [asked, ...calls.map(({ words }) => words), end]));
}

function callOf(item: Item): PastCall | undefined {
  // A sub-agent's work is in the result of its call.
  if (item.parent_id !== undefined || item.status === "superseded") return undefined;
  if (item.type === "agent_message")
    return item.text.trim() === "" ? undefined : { words: `Assistant: ${cut(item.text)}`, said: item.text };
  if (item.type === "compaction") return { words: `(A summary of what came before: ${cut(item.summary)})` };
  if (!isToolItem(item)) return undefined;
  const input = JSON.stringify(item.approved_input ?? item.input);
  const words = `Tool ${item.tool} ${cut(input)} (${item.status}): ${cut(outputText(item.output ?? []))}`;
  return { words, tool_use_id: item.tool_use_id };
}

function cut(text: string): string {
  if (text.length <= LIMITS.engineHistoryPartChars) return text;
  return `${headOf(text, LIMITS.engineHistoryPartChars)} … (${text.length - LIMITS.engineHistoryPartChars} characters more)`;
}

function newest(lines: readonly string[]): string {
  const kept: string[] = [];
  let room: number = LIMITS.engineHistoryChars;
  for (const line of lines.toReversed()) {
    room -= line.length + 1;
    if (room < 0) {
      kept.push("(Older parts are left out.)");
      break;
    }
    if (line !== "") kept.push(line);
  }
  return kept.toReversed().join("\n");
}
