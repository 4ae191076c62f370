import {
  headOf,
  LIMITS,
  wellFormed,
  type ImportedConversation,
  type ImportedItem,
  type ImportedTurn,
} from "../protocol/index.ts";

/** A conversation as it was found, and what an importer should know of it. */
export interface FoundConversation {
  readonly conversation: ImportedConversation;
  /** The folder it was about; absent: the record does not say. */
  readonly workspace?: string | undefined;
  /** What did not fit or could not be read, in words; empty: nothing. */
  readonly left_out: readonly string[];
}

interface ForeignCall {
  readonly place: number;
  readonly turn: ImportedTurn;
}

const CUT = "\n[The rest of this output was left out.]";
const TOO_DEEP = "[What is nested deeper was left out.]";

/**
 * Collects the turns of a record while its lines are read. Items before the first prompt are dropped: they answer nobody. Outputs find their
 * call by its id.
 */
export class TurnCollector {
  readonly #turns: (ImportedTurn & { items: ImportedItem[] })[] = [];
  readonly #calls = new Map<string, ForeignCall>();
  /** Items for which their turn had no room. */
  #beyond = 0;

  prompt(text: string, at: string | undefined): void {
    if (text.trim() === "") return;
    this.#turns.push({ prompt: wholeHead(text, LIMITS.promptChars), ...timeOf(at), items: [] });
  }

  text(type: "message" | "thought", text: string): void {
    if (text.trim() !== "") this.#add({ type, text: wholeHead(text, LIMITS.importOutputChars) });
  }

  call(id: string, tool: string, input: unknown): void {
    if (tool === "") return;
    const turn = this.#add({ type: "tool", tool: wholeHead(tool, LIMITS.importNameChars), input: asRecord(input) });
    if (turn !== undefined) this.#calls.set(id, { turn, place: turn.items.length - 1 });
  }

  output(id: string, text: string, { is_error = false } = {}): void {
    const call = this.#calls.get(id);
    const item = call?.turn.items[call.place];
    if (call === undefined || item?.type !== "tool") return;
    call.turn.items[call.place] = { ...item, output: bounded(text), ...(is_error ? { is_error } : {}) };
    this.#calls.delete(id);
  }

  /** The newest turns that fit. Undefined: there was no prompt. */
  end(
    source: string,
    about: { readonly source_id?: string | undefined; readonly workspace?: string | undefined },
  ): FoundConversation | undefined {
    const newest = this.#turns.at(-1);
    if (newest === undefined) return undefined;
    const last = fitting(newest, LIMITS.importChars);
    const kept = [last];
    let chars = LIMITS.importChars - JSON.stringify(last).length;
    for (const turn of this.#turns.slice(0, -1).toReversed()) {
      chars -= JSON.stringify(turn).length;
      if (chars < 0 || kept.length >= LIMITS.importTurns) break;
      kept.unshift(turn);
    }
    const older = this.#turns.length - kept.length;
    const lost = newest.items.length - last.items.length + this.#beyond;
    const { source_id, workspace } = about;
    const isId = source_id !== undefined && source_id.length <= LIMITS.importNameChars;
    return {
      conversation: { source, turns: kept, ...(isId ? { source_id: wellFormed(source_id) } : {}) },
      workspace,
      left_out: [
        ...(older === 0 ? [] : [`the oldest ${older} of ${this.#turns.length} turns: the conversation is too long`]),
        ...(lost === 0 ? [] : [`${lost} messages and calls of turns that are too long`]),
      ],
    };
  }

  #add(item: ImportedItem): (ImportedTurn & { items: ImportedItem[] }) | undefined {
    const turn = this.#turns.at(-1);
    if (turn === undefined) return undefined;
    if (turn.items.length >= LIMITS.importItems) {
      this.#beyond += 1;
      return undefined;
    }
    turn.items.push(item);
    return turn;
  }
}

/** Without half a character at the end or anywhere else: no model takes one. */
function wholeHead(text: string, chars: number): string {
  return wellFormed(headOf(text, chars));
}

function bounded(text: string): string {
  const { importOutputChars: most } = LIMITS;
  return text.length > most ? wholeHead(text, most - CUT.length) + CUT : wellFormed(text);
}

/** Nothing where it is no time, or one that four digits of a year do not hold. */
function timeOf(at: string | undefined): Pick<ImportedTurn, "at"> {
  const time = at === undefined ? Number.NaN : Date.parse(at);
  const text = Number.isNaN(time) ? "" : new Date(time).toISOString();
  return /^\d{4}-/.test(text) ? { at: text } : {};
}

/** The turn with as many of its first items as fit. */
function fitting(turn: ImportedTurn, chars: number): ImportedTurn {
  const items: ImportedItem[] = [];
  let left = chars - JSON.stringify({ ...turn, items }).length;
  for (const item of turn.items) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0) break;
    items.push(item);
  }
  return { ...turn, items };
}

/** What others wrote down may be larger and nested deeper than a request, or a stack, can hold. */
function asRecord(value: unknown): Record<string, unknown> {
  const own = plain(value, LIMITS.importInputDepth);
  return typeof own === "object" && own !== null && !Array.isArray(own)
    ? (own as Record<string, unknown>)
    : { input: own };
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === "string") return bounded(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((each) => plain(each, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [bounded(name), plain(each, depth - 1)]));
}
