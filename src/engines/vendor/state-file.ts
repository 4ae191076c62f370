import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";

/** A small file in a session's own folder, where its programs cannot write. Unreadable: it is empty. */
export class SmallStateFile<State extends object> {
  readonly #folder: string;
  readonly #name: string;
  #state: State;

  constructor(folder: string, { name, schema }: { readonly name: string; readonly schema: z.ZodType<State> }) {
    this.#folder = folder;
    this.#name = name;
    this.#state = read(join(folder, name), schema);
  }

  get state(): State {
    return this.#state;
  }

  save(change: Partial<State>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = join(this.#folder, `${this.#name}.${randomUUID()}`);
    try {
      writeFileSync(fresh, JSON.stringify(next), { mode: 0o600 });
      renameSync(fresh, join(this.#folder, this.#name));
      // What a full disk refused is written with the next change.
      this.#state = next;
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  }
}

function read<State extends object>(path: string, schema: z.ZodType<State>): State {
  try {
    if (statSync(path).size > LIMITS.engineStateBytes) return schema.parse({});
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return schema.parse({});
  }
}
