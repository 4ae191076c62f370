import { LIMITS, type ImportedConversation, type ImportedItem, type ImportedTurn } from "../protocol/index.ts";

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

/**
 * Collects the turns of a record while its lines are read. Items before the first prompt are dropped: they answer nobody. Outputs find their
 * call by its id.
 */
export class TurnCollector {
  readonly #turns: (ImportedTurn & { items: ImportedItem[] })[] = [];
  readonly #calls = new Map<string, ForeignCall>();

  prompt(text: string, at: string | undefined): void {
    if (text.trim() === "") return;
    const isTime = at !== undefined && !Number.isNaN(Date.parse(at));
    const time = isTime ? { at: new Date(at).toISOString() } : {};
    this.#turns.push({ prompt: text.slice(0, LIMITS.promptChars), ...time, items: [] });
  }

  text(type: "message" | "thought", text: string): void {
    if (text.trim() !== "") this.#add({ type, text: text.slice(0, LIMITS.importOutputChars) });
  }

  call(id: string, tool: string, input: unknown): void {
    const turn = this.#add({ type: "tool", tool: tool.slice(0, 200), input: asRecord(input) });
    if (turn !== undefined) this.#calls.set(id, { turn, place: turn.items.length - 1 });
  }

  output(id: string, text: string, { is_error = false } = {}): void {
    const call = this.#calls.get(id);
    const item = call?.turn.items[call.place];
    if (call === undefined || item?.type !== "tool") return;
    const output =
      text.length > LIMITS.importOutputChars ? text.slice(0, LIMITS.importOutputChars - CUT.length) + CUT : text;
    call.turn.items[call.place] = { ...item, output, ...(is_error ? { is_error } : {}) };
    this.#calls.delete(id);
  }

  /** The newest turns that fit. Undefined: there was no prompt. */
  end(
    source: string,
    about: { readonly source_id?: string | undefined; readonly workspace?: string | undefined },
  ): FoundConversation | undefined {
    const kept: ImportedTurn[] = [];
    let chars = LIMITS.importChars;
    for (const turn of this.#turns.toReversed()) {
      chars -= JSON.stringify(turn).length;
      if (kept.length > 0 && (chars < 0 || kept.length >= LIMITS.importTurns)) break;
      kept.unshift(turn);
    }
    if (kept.length === 0) return undefined;
    const older = this.#turns.length - kept.length;
    const { source_id, workspace } = about;
    return {
      conversation: { source, turns: kept, ...(source_id === undefined ? {} : { source_id }) },
      workspace,
      left_out: older === 0 ? [] : [`the oldest ${older} of ${this.#turns.length} turns: the conversation is too long`],
    };
  }

  #add(item: ImportedItem): (ImportedTurn & { items: ImportedItem[] }) | undefined {
    const turn = this.#turns.at(-1);
    if (turn === undefined || turn.items.length >= LIMITS.importItems) return undefined;
    turn.items.push(item);
    return turn;
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { input: value };
}
