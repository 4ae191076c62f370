import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";

const FILE = "acp.json";

/** What must outlive an agent's process. */
const AgentState = z.object({
  /** The agent's id of the conversation. Absent: it has none. */
  session: z.string().optional(),
  /** The last turn that the agent itself has ended. Absent: none. */
  turn_id: z.string().optional(),
  /** A hash of the system prompt that the agent's conversation began with, or was told last. Absent: none yet. */
  prompt: z.string().optional(),
  /** What the model must still be told; absent: nothing. */
  note: z.string().optional(),
});
export type AgentState = z.infer<typeof AgentState>;

/** A small file in the session's own folder, where the agent cannot write. Unreadable: the agent's conversation is retold as text. */
export class AgentStateFile {
  readonly #folder: string;
  #state: AgentState;

  constructor(folder: string) {
    this.#folder = folder;
    this.#state = read(join(folder, FILE));
  }

  get state(): AgentState {
    return this.#state;
  }

  save(change: Partial<AgentState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = join(this.#folder, `${FILE}.${randomUUID()}`);
    try {
      writeFileSync(fresh, JSON.stringify(next), { mode: 0o600 });
      renameSync(fresh, join(this.#folder, FILE));
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  }
}

function read(path: string): AgentState {
  try {
    if (statSync(path).size > LIMITS.engineStateBytes) return {};
    return AgentState.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}
