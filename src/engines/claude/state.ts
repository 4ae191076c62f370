import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";

const CLAUDE_FILE = "claude.jsonl";

/** A position in one of the vendor's records: up to and including this message, or before the first one. */
const RecordPlace = z.object({ session: z.string(), uuid: z.string().optional() });
export type RecordPlace = z.infer<typeof RecordPlace>;

/** Where a turn ended. `note`: what the model must still be told, because the program kept it to itself. */
const EndedTurn = z.object({ turn_id: z.string(), at: RecordPlace, note: z.string().optional() });
type EndedTurn = z.infer<typeof EndedTurn>;

export interface StoredState {
  /** The vendor's id of the conversation. */
  readonly session?: string | undefined;
  /** Where it was forked from, until the vendor's program has written its own copy. */
  readonly fork?: RecordPlace | undefined;
  /** Names the system prompt that the model knows: the program keeps the one that its record began with. Absent: unknown. */
  readonly prompt?: string | undefined;
  /** Oldest first. */
  readonly turns: readonly EndedTurn[];
}

/** A line of the file. Null: removed; absent: unchanged. */
const StateChange = z.object({
  session: z.string().nullish(),
  fork: RecordPlace.nullish(),
  prompt: z.string().optional(),
  turns: z.array(EndedTurn).optional(),
});
type StateChange = z.infer<typeof StateChange>;

const NOTHING: StoredState = { turns: [] };

/**
 * What must outlive the process: a small file in the session's own folder, to which each change is appended as a line. It is handed to
 * the system at once, and so outlives the server. It is not flushed to the disk, which would take longer than the rest of a turn's
 * end; the vendor's record is not either. After a power cut the model is told what the journal has.
 */
export class StateFile {
  readonly #folder: string;
  readonly #file: string;
  readonly #path: string;
  #kept: StoredState;
  #bytes: number;
  /** The file lacks a change that the disk refused. */
  #isBehind = false;

  /** `file`: its name in the folder, each engine's own. */
  constructor(folder: string, file: string = CLAUDE_FILE) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#file = file;
    this.#path = join(folder, file);
    this.#kept = readState(folder, file);
    this.#bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  get kept(): StoredState {
    return this.#kept;
  }

  /** A key that is present but undefined is removed. */
  save(change: Pick<StoredState, "session" | "fork" | "prompt">): void {
    const { session, fork, prompt } = change;
    this.#add({
      ...(prompt === undefined ? {} : { prompt }),
      ...("session" in change ? { session: session ?? null } : {}),
      ...("fork" in change ? { fork: fork ?? null } : {}),
    });
  }

  endTurn(turn: EndedTurn): void {
    this.#add({ turns: [turn] });
  }

  #add(change: StateChange): void {
    this.#kept = folded([this.#kept, change]);
    // The line break comes first: even after a torn line, this one is whole.
    const line = `\n${JSON.stringify(change)}`;
    this.#bytes += Buffer.byteLength(line);
    try {
      if (this.#bytes <= LIMITS.engineStateBytes && !this.#isBehind) appendFileSync(this.#path, line, { mode: 0o600 });
      else this.#rewrite();
      this.#isBehind = false;
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  /** Rewrites the file as one line. */
  #rewrite(): void {
    const text = JSON.stringify(this.#kept);
    const fresh = join(this.#folder, `${this.#file}.${randomUUID()}`);
    try {
      writeFileSync(fresh, text, { mode: 0o600 });
      renameSync(fresh, this.#path);
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
    this.#bytes = Buffer.byteLength(text);
  }
}

const UUID_BYTES = 16;

/**
 * The vendor's id of a turn's prompt. It is derived from ours, so that it need not be stored before the prompt is sent: after a
 * crash, the vendor's record itself shows whether it has the prompt.
 */
export function promptId(turn_id: string): string {
  const bytes = createHash("sha256").update(turn_id).digest().subarray(0, UUID_BYTES);
  // As in RFC 9562: version 5, a name's hash.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A name for a system prompt: equal for equal ones. */
export function promptName(system_prompt: string): string {
  return createHash("sha256").update(system_prompt).digest("hex");
}

/** What a session's folder stores. Empty when there is no file; unreadable lines are skipped. */
export function readState(folder: string, file: string = CLAUDE_FILE): StoredState {
  const text = readFile(join(folder, file));
  return text === "" ? NOTHING : folded(text.split("\n").map(understood));
}

function folded(changes: readonly (StateChange | StoredState)[]): StoredState {
  const ended = new Map<string, EndedTurn>();
  let place: Omit<StoredState, "turns"> = {};
  for (const { session = place.session, fork = place.fork, prompt = place.prompt, turns = [] } of changes) {
    place = { session: session ?? undefined, fork: fork ?? undefined, prompt };
    for (const turn of turns) {
      // A resumed turn ends again, at another position.
      ended.delete(turn.turn_id);
      ended.set(turn.turn_id, turn);
    }
  }
  return { ...place, turns: [...ended.values()].slice(-LIMITS.engineTurnsKept) };
}

function readFile(path: string): string {
  try {
    return statSync(path).size > LIMITS.engineStateBytes ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function understood(line: string): StateChange {
  try {
    return StateChange.parse(JSON.parse(line));
  } catch {
    return {};
  }
}
