import {
  LIMITS,
  Transcript,
  type JournalEvent,
  type StreamFrame,
  type TranscriptEntry,
} from "../../../protocol/index.ts";
import { changedFiles, type ChangedFile } from "./tool-words.ts";

/** One row of the page, top to bottom. */
export type TranscriptRow =
  | { readonly kind: "prompt" | "end"; readonly key: string; readonly seq: number; readonly turn: string }
  | { readonly kind: "item"; readonly key: string; readonly seq: number; readonly item: string }
  | {
      readonly kind: "note";
      readonly key: string;
      readonly seq: number;
      readonly tone: "plain" | "bad";
      readonly text: string;
    };

/**
 * Everything that the page shows: another object after each change. Rows, plan and files are the same until they change; turns and items
 * are as they are now, each the same object until it changes.
 */
export interface TranscriptView extends Pick<Transcript, "turns" | "items" | "todos" | "seq" | "open" | "running"> {
  readonly rows: readonly TranscriptRow[];
  readonly files: readonly ChangedFile[];
  /** By seq: the key of the row that shows the event. */
  readonly places: readonly string[];
  /** A person is asked whether the budget grows. */
  readonly asksMoney: boolean;
}

/** The journal of one session as rows of a page. */
export class ConsoleTranscript {
  readonly #transcript = new Transcript(LIMITS.toolOutputChars);
  #rows: readonly TranscriptRow[] = [];
  /** Rows that came since somebody looked. */
  #newRows: TranscriptRow[] = [];
  #files: readonly ChangedFile[] | undefined;
  readonly #places: string[] = [];
  #view: TranscriptView | undefined;

  /** Stays the same object until a frame changes something. */
  get view(): TranscriptView {
    if (this.#view !== undefined) return this.#view;
    const { turns, items, todos, seq, open, running, questions } = this.#transcript;
    if (this.#newRows.length > 0) this.#rows = [...this.#rows, ...this.#newRows];
    this.#newRows = [];
    this.#files ??= changedFiles(items.values());
    const asksMoney = [...questions.values()].some(
      ({ approval, outcome }) =>
        outcome === undefined && approval.turn_id === open && approval.preview.type === "budget",
    );
    const [rows, files, places] = [this.#rows, this.#files, this.#places];
    this.#view = { rows, turns, items, todos, files, seq, places, open, running, asksMoney };
    return this.#view;
  }

  apply(frame: StreamFrame): void {
    this.#view = undefined;
    const before = this.#places[this.#transcript.seq];
    for (const entry of this.#transcript.apply(frame)) {
      const row = this.#rowOf(entry);
      if (row !== undefined) this.#newRows.push(row);
    }
    if (frame.type === "item.completed" && frame.item.type === "file_change") this.#files = undefined;
    if (!("seq" in frame)) return;
    const place = this.#placeOf(frame) ?? before;
    if (place !== undefined) this.#places[frame.seq] = place;
  }

  /** Undefined: it is shown in another row, or not at all. */
  #rowOf(entry: TranscriptEntry): TranscriptRow | undefined {
    const { kind, seq, turn } = entry;
    switch (kind) {
      case "queued":
        // A prompt that waits stands in the queue, not in the conversation.
        return undefined;
      case "prompt":
      case "end":
        return { kind, key: `${kind}-${turn}`, seq, turn };
      case "item":
        return entry.parent === undefined ? { kind, key: entry.item, seq, item: entry.item } : undefined;
      case "question": {
        const approval = this.#transcript.questions.get(entry.approval)?.approval;
        if (approval === undefined || this.#transcript.items.has(approval.item_id)) return undefined;
        // A question about money belongs to no item.
        const { preview, reason } = approval;
        return this.#note(seq, `Waiting for approval: ${"summary" in preview ? preview.summary : reason}`);
      }
      case "notice": {
        const { type, text } = entry.notice;
        return this.#note(seq, text, type === "error" || type === "failed" ? "bad" : "plain");
      }
    }
  }

  #note(seq: number, text: string, tone: "plain" | "bad" = "plain"): TranscriptRow {
    const key = `note-${String(seq)}-${String(this.#rows.length + this.#newRows.length)}`;
    return { kind: "note", key, seq, tone, text };
  }

  /** The row that shows an event; undefined: the one of the event before. */
  #placeOf(event: JournalEvent): string | undefined {
    const { questions } = this.#transcript;
    const approval = "approval_id" in event ? questions.get(event.approval_id)?.approval : undefined;
    const item = "item" in event ? event.item.id : "approval" in event ? event.approval.item_id : approval?.item_id;
    const last = this.#newRows.at(-1);
    return this.#itemRow(item ?? "") ?? (last?.seq === event.seq ? last.key : undefined);
  }

  /** An item of a sub-agent is shown in the sub-agent's row. */
  #itemRow(id: string): string | undefined {
    const view = this.#transcript.items.get(id);
    if (view === undefined) return undefined;
    const { parent_id: parent } = view.item;
    return (parent === undefined ? undefined : this.#itemRow(parent)) ?? id;
  }
}
