import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";

const FILE = "claude.json";

/** A place in one of the vendor's records: up to and with this message, or before its first one. */
const Place = z.object({ session: z.string(), uuid: z.string().optional() });
export type Place = z.infer<typeof Place>;

const Kept = z.object({
  /** The vendor's id of the conversation. */
  session: z.string().optional(),
  /** Where it begins, until the vendor's program has written its own copy. */
  fork: Place.optional(),
  /** The turn that is open, with the vendor's id of its prompt. */
  open: z.object({ turn_id: z.string(), prompt: z.string() }).optional(),
  /**
   * Where each turn ended, oldest first. `note`: what the model must still be told, because the program kept it to itself. `prompt` is
   * the vendor's id of it: a server that stops ends a turn here which the next one takes up again.
   */
  turns: z.array(
    z.object({ turn_id: z.string(), at: Place, prompt: z.string().optional(), note: z.string().optional() }),
  ),
});
export type Kept = z.infer<typeof Kept>;

const NOTHING: Kept = { turns: [] };

/** What must outlive the process: a small file in the session's own folder, replaced as a whole. */
export class StateFile {
  readonly #folder: string;
  #kept: Kept;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#kept = readState(folder);
  }

  get kept(): Kept {
    return this.#kept;
  }

  /** On the disk when it returns. */
  save(change: Partial<Kept>): void {
    const next = { ...this.#kept, ...change };
    this.#kept = { ...next, turns: next.turns.slice(-LIMITS.engineTurnsKept) };
    const path = join(this.#folder, FILE);
    const fresh = `${path}.${randomUUID()}`;
    try {
      writeFileSync(fresh, JSON.stringify(this.#kept), { mode: 0o600, flush: true });
      renameSync(fresh, path);
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  }

  beginTurn(turn_id: string, prompt: string): void {
    this.save({ open: { turn_id, prompt } });
  }

  endTurn(turn: Omit<Kept["turns"][number], "prompt">): void {
    const turns = this.#kept.turns.filter(({ turn_id }) => turn_id !== turn.turn_id);
    const prompt = this.promptOf(turn.turn_id);
    this.save({ open: undefined, turns: [...turns, { ...turn, prompt }] });
  }

  /** The vendor's id of a turn's prompt; absent: it was not sent yet. */
  promptOf(turn_id: string): string | undefined {
    const { open, turns } = this.#kept;
    return open?.turn_id === turn_id ? open.prompt : turns.find((turn) => turn.turn_id === turn_id)?.prompt;
  }
}

/** What a session's folder keeps. Nothing when there is no file, or none that can be understood. */
export function readState(folder: string): Kept {
  const path = join(folder, FILE);
  try {
    if (statSync(path).size > LIMITS.engineStateBytes) return NOTHING;
    return Kept.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return NOTHING;
  }
}
