import {
  instructionWords,
  LIMITS,
  Transcript,
  type JournalEvent,
  type StreamFrame,
  type Todo,
  type ConversationEntry,
  type Outcome,
  type TranscriptNotice,
} from "../../../protocol/index.ts";
import { exactMoney } from "../../ui/words.tsx";
import { modeWords } from "./mode-words.ts";
import { changedFiles, type ChangedFile } from "./tool-words.ts";
import { t } from "../../ui/language/t.ts";

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
export interface TranscriptView extends Pick<Transcript, "turns" | "items" | "seq" | "open" | "running"> {
  readonly rows: readonly TranscriptRow[];
  /** The agent's newest plan. */
  readonly todos: readonly Todo[];
  /** The item of that plan. Absent: there is none. */
  readonly plan?: string | undefined;
  readonly files: readonly ChangedFile[];
  /** By seq: the key of the row that shows the event. */
  readonly places: readonly string[];
  /** A person is asked whether the budget grows. */
  readonly asksMoney: boolean;
}

/** Of an event that this page does not know. */
const UNKNOWN_CHARS = 2_000;
const ANSWERED: Readonly<Record<Exclude<Outcome, "timed_out">, string>> = {
  approved: t("Approved"),
  rejected: t("Rejected"),
  cancelled: t("Withdrawn"),
};

/** The journal of one session as rows of a page. */
export class ConsoleTranscript {
  readonly #transcript = new Transcript(LIMITS.toolOutputChars);
  #rows: readonly TranscriptRow[] = [];
  /** Rows that came since somebody looked. */
  #newRows: TranscriptRow[] = [];
  #todos: readonly Todo[] = [];
  #plan: string | undefined;
  #files: readonly ChangedFile[] | undefined;
  readonly #places: string[] = [];
  #view: TranscriptView | undefined;

  /** Stays the same object until a frame changes something. */
  get view(): TranscriptView {
    if (this.#view !== undefined) return this.#view;
    const { turns, items, seq, open, running, questions } = this.#transcript;
    if (this.#newRows.length > 0) this.#rows = [...this.#rows, ...this.#newRows];
    this.#newRows = [];
    this.#files ??= changedFiles(items.values());
    const asksMoney = [...questions.values()].some(
      ({ approval, outcome }) =>
        outcome === undefined && approval.turn_id === open && approval.preview.type === "budget",
    );
    const [rows, todos, plan, files, places] = [this.#rows, this.#todos, this.#plan, this.#files, this.#places];
    this.#view = { rows, turns, items, todos, plan, files, seq, places, open, running, asksMoney };
    return this.#view;
  }

  apply(frame: StreamFrame): void {
    this.#view = undefined;
    const before = this.#places[this.#transcript.seq];
    for (const entry of this.#transcript.apply(frame)) this.#show(entry);
    const item = "item" in frame ? frame.item : undefined;
    if (item?.type === "file_change") this.#files = undefined;
    if (item?.type === "todo_list" && item.items.length > 0) [this.#todos, this.#plan] = [item.items, item.id];
    if (!("seq" in frame)) return;
    const place = this.#placeOf(frame) ?? before;
    if (place !== undefined) this.#places[frame.seq] = place;
  }

  #show(entry: ConversationEntry): void {
    const { kind, seq, turn } = entry;
    switch (kind) {
      case "queued":
        // A prompt that waits stands in the queue, not in the conversation.
        return;
      case "prompt":
      case "end":
        // The end of a turn whose beginning is not here yet.
        if (!this.#transcript.turns.has(turn)) return;
        this.#newRows.push({ kind, key: `${kind}-${turn}`, seq, turn });
        return;
      case "steer":
        this.#newRows.push({ kind: "prompt", key: `prompt-${entry.prompt}`, seq, turn: entry.prompt });
        return;
      case "item":
        if (entry.parent === undefined) this.#newRows.push({ kind, key: entry.item, seq, item: entry.item });
        return;
      case "question": {
        const approval = this.#transcript.questions.get(entry.approval)?.approval;
        if (approval === undefined || this.#transcript.items.has(approval.item_id)) return;
        // The server's own questions belong to no item.
        const { preview, reason } = approval;
        return this.#note(
          seq,
          t("Waiting for approval: {summary}", { summary: "summary" in preview ? preview.summary : reason }),
        );
      }
      case "notice": {
        const isBad = entry.event.type === "error" || ("error" in entry.event && entry.event.status === "failed");
        for (const text of noticeWords(entry.event)) this.#note(seq, text, isBad ? "bad" : "plain");
        return;
      }
      case "unknown":
        this.#note(
          seq,
          t("Event of an unknown kind: {event}", { event: JSON.stringify(entry.event).slice(0, UNKNOWN_CHARS) }),
        );
    }
  }

  #note(seq: number, text: string, tone: "plain" | "bad" = "plain"): void {
    const key = `note-${String(seq)}-${String(this.#rows.length + this.#newRows.length)}`;
    this.#newRows.push({ kind: "note", key, seq, tone, text });
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

function noticeWords(event: TranscriptNotice): readonly string[] {
  switch (event.type) {
    case "turn.resumed":
      return [t("The server was restarted. This turn continues.")];
    case "error":
      return [event.message];
    case "instructions.loaded":
      return instructionWords(event);
    case "budget.updated": {
      const { limit_microusd: limit } = event;
      return [
        limit === undefined
          ? t("The limit was removed.")
          : t("The limit is now {amount}.", { amount: exactMoney(limit) }),
      ];
    }
    case "approval.resolved":
      return [
        event.outcome === "timed_out"
          ? t("Nobody answered in time.")
          : t("{outcome} by {name}.", { outcome: ANSWERED[event.outcome], name: event.by.name }),
      ];
    case "session.updated": {
      const { status, forked_from: from, error, model, autonomy, permission_mode, paused } = event;
      return [
        ...(from === undefined
          ? []
          : [t("Forked from {session} after event {seq}.", { session: from.session_id, seq: String(from.seq) })]),
        ...(status !== "failed" || error === undefined ? [] : [error.message]),
        ...(model === undefined ? [] : [t("The model is now {model}.", { model })]),
        ...(autonomy === undefined
          ? []
          : [t("The mode is now {mode}.", { mode: modeWords({ permission_mode, autonomy }) })]),
        ...(paused === undefined ? [] : [paused ? t("Paused.") : t("Resumed.")]),
        ...(status === "complete" ? [t("The session was closed.")] : []),
      ];
    }
  }
}
