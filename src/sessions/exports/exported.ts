import {
  isToolItem,
  LIMITS,
  outputText,
  Transcript,
  type ConversationEntry,
  type ImageBlock,
  type Item,
  type JournalEvent,
  type ShareSession,
  type ToolItem,
  type TurnView,
} from "../../protocol/index.ts";

/** What is left of an open item's text while it is folded. Ended items are whole. */
const LIVE_CHARS = 1_000_000;

export type ExportedPart =
  | { readonly kind: "message" | "thought" | "notice" | "prompt"; readonly text: string }
  | ExportedCall;

export interface ExportedCall {
  readonly kind: "call";
  readonly tool: string;
  /** The command, file or question that it is about; empty: nothing short says it. */
  readonly about: string;
  readonly status: Item["status"];
  /** Absent: not part of this export. */
  readonly details?: CallDetails | undefined;
  /** Of a sub-agent: what it did. */
  readonly parts: readonly ExportedPart[];
}

interface CallDetails {
  /** What ran, which may differ from what was asked for. */
  readonly input: string;
  readonly output: string;
  readonly images: readonly ImageBlock[];
}

export interface ExportedTurn {
  readonly prompt: string;
  /** Absent: not part of this export. */
  readonly by?: string | undefined;
  readonly at: string;
  readonly parts: readonly ExportedPart[];
  /** How it ended, in words; empty: as it should. */
  readonly end: string;
  /** Micro-USD; absent: not part of this export, or none. */
  readonly cost_microusd?: number | undefined;
}

/** Which parts of a conversation are exported, and how its text is cleaned. */
export interface ExportChoice extends Pick<ShareSession, "tools" | "thoughts" | "costs"> {
  readonly people: boolean;
  readonly clean: (text: string) => string;
}

/** The turns of a journal, each when it has ended: only one of them is in memory. */
export async function* exportedTurns(
  events: AsyncIterable<JournalEvent>,
  choice: ExportChoice,
): AsyncGenerator<ExportedTurn> {
  let transcript = new Transcript(LIVE_CHARS);
  for await (const event of events) {
    transcript.apply(event);
    if (event.type !== "turn.completed" && event.type !== "turn.failed") continue;
    const turn = transcript.turns.get(event.turn_id);
    if (turn === undefined) continue;
    yield exportedTurn(turn, transcript, choice);
    // A queued prompt that was removed ends while another turn may be open.
    if (transcript.open === undefined && transcript.running.length === 0) {
      const { seq } = transcript;
      transcript = new Transcript(LIVE_CHARS);
      transcript.seq = seq;
    }
  }
  const open = transcript.open === undefined ? undefined : transcript.turns.get(transcript.open);
  if (open !== undefined) yield exportedTurn(open, transcript, choice);
}

function exportedTurn(turn: TurnView, transcript: Transcript, choice: ExportChoice): ExportedTurn {
  const { prompt, by, at, cost_microusd } = turn;
  const parts = turn.entries.flatMap((entry) => exportedEntry(entry, transcript, choice));
  return {
    prompt: promptText(prompt, choice),
    at,
    parts,
    end: choice.clean(endOf(turn)),
    ...(choice.people ? { by: by.name } : {}),
    ...(choice.costs === true && cost_microusd !== undefined && cost_microusd > 0 ? { cost_microusd } : {}),
  };
}

function promptText({ text, attachments = [] }: TurnView["prompt"], { clean }: ExportChoice): string {
  const attached = attachments.map(({ name, type }) => `[${type}${name === undefined ? "" : `: ${name}`}]`);
  return clean([text, ...attached].join("\n"));
}

function exportedEntry(
  entry: ConversationEntry,
  transcript: Transcript,
  choice: ExportChoice,
): readonly ExportedPart[] {
  if (entry.kind === "item") return entry.parent === undefined ? partsOf(entry.item, transcript, choice) : [];
  if (entry.kind === "steer") {
    const said = transcript.turns.get(entry.prompt);
    return said === undefined ? [] : [{ kind: "prompt", text: promptText(said.prompt, choice) }];
  }
  if (entry.kind === "notice" && entry.event.type === "error")
    return [{ kind: "notice", text: choice.clean(entry.event.message) }];
  return [];
}

function partsOf(id: string, transcript: Transcript, choice: ExportChoice): readonly ExportedPart[] {
  const view = transcript.items.get(id);
  if (view === undefined) return [];
  const { item, children } = view;
  if (isToolItem(item))
    return [
      callOf(
        item,
        children.flatMap((child) => partsOf(child, transcript, choice)),
        choice,
      ),
    ];
  switch (item.type) {
    case "agent_message":
      return item.status === "superseded" ? [] : [{ kind: "message", text: choice.clean(item.text) }];
    case "reasoning":
      return choice.thoughts !== true || item.text === "" ? [] : [{ kind: "thought", text: choice.clean(item.text) }];
    case "compaction":
      return [{ kind: "notice", text: "The conversation so far was summarised for the model." }];
    case "error":
      return [{ kind: "notice", text: choice.clean(item.message) }];
  }
}

function callOf(item: ToolItem, parts: readonly ExportedPart[], choice: ExportChoice): ExportedCall {
  const { tool, status, input, approved_input = input, output = [] } = item;
  const about = choice.clean(aboutCall(item, approved_input)).replaceAll(/\s+/g, " ").slice(0, LIMITS.exportAboutChars);
  if (choice.tools !== true) return { kind: "call", tool, about: "", status, parts };
  const details: CallDetails = {
    input: choice.clean(
      item.type === "command_execution" ? item.command : JSON.stringify(approved_input, undefined, 2),
    ),
    output: choice.clean(outputText(output)),
    images: output.filter((block) => block.type === "image"),
  };
  return { kind: "call", tool, about, status, details, parts };
}

/** Fields that say in a few words what a call is about, the most telling first. */
const ABOUT = ["command", "file_path", "notebook_path", "path", "pattern", "query", "url", "description"] as const;

function aboutCall(item: ToolItem, input: Readonly<Record<string, unknown>>): string {
  if (item.type === "command_execution") return item.command;
  const field = ABOUT.find((name) => typeof input[name] === "string");
  return field === undefined ? "" : String(input[field]);
}

function endOf({ state, end, error }: TurnView): string {
  if (state === "open" || end === undefined) return "This turn had not ended when it was exported.";
  if (state === "removed") return "This prompt was removed before it began.";
  return error === undefined ? "" : error.message;
}
