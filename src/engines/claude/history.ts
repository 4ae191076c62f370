import { isToolItem, LIMITS, outputText, type Item, type JournalEvent, type Prompt } from "../../protocol/index.ts";

/** What an engine needs of the journal when the vendor's own record does not help. */
export interface Past {
  /** The conversation as text, without the turn that is open. Empty: nothing was said. */
  readonly text: string;
  /** The prompt of the turn that is open; absent: none is. */
  readonly prompt: Prompt | undefined;
  /** What the open turn began and did not end, oldest first. */
  readonly open: readonly Item[];
  /** What the open turn did already, as text. */
  readonly sofar: string;
}

/** Reads the journal once. */
export async function readPast(history: AsyncIterable<JournalEvent>): Promise<Past> {
  const before: string[] = [];
  let turn: { readonly prompt: Prompt; readonly lines: string[] } | undefined;
  const open = new Map<string, Item>();
  const end = (line: string): void => {
    if (turn !== undefined) before.push(...turn.lines, line);
    turn = undefined;
    open.clear();
  };
  for await (const event of history) {
    switch (event.type) {
      case "turn.started":
        turn = { prompt: event.prompt, lines: [`User: ${cut(event.prompt.text)}`] };
        break;
      case "item.started":
      case "item.updated":
        open.set(event.item.id, event.item);
        break;
      case "item.completed":
        open.delete(event.item.id);
        turn?.lines.push(...told(event.item));
        break;
      case "turn.completed":
        end("");
        break;
      case "turn.failed":
        end(`(The turn ended early: ${event.error.message})`);
        break;
      default:
        break;
    }
  }
  return {
    text: newest(before),
    prompt: turn?.prompt,
    open: [...open.values()],
    sofar: newest(turn?.lines.slice(1) ?? []),
  };
}

function told(item: Item): readonly string[] {
  // What a sub-agent did is in the result of its call.
  if (item.parent_id !== undefined || item.status === "superseded") return [];
  if (item.type === "agent_message") return item.text.trim() === "" ? [] : [`Assistant: ${cut(item.text)}`];
  if (item.type === "compaction") return [`(A summary of what came before: ${cut(item.summary)})`];
  if (!isToolItem(item)) return [];
  const input = JSON.stringify(item.approved_input ?? item.input);
  return [`Tool ${item.tool} ${cut(input)} (${item.status}): ${cut(outputText(item.output ?? []))}`];
}

function cut(text: string): string {
  if (text.length <= LIMITS.engineHistoryPartChars) return text;
  return `${text.slice(0, LIMITS.engineHistoryPartChars)} … (${text.length - LIMITS.engineHistoryPartChars} characters more)`;
}

/** As much of the end as may be told. */
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
