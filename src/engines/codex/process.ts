import { Failure, LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { systemPrompt } from "../loop/prompt.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { removeWritten } from "../vendor/remove.ts";
import { CodexGone, type CodexConnection, type CodexListener } from "./connection.ts";
import { codexHome, leftTemporary } from "./folders.ts";
import { launchCodex, PROVIDER } from "./launch.ts";
import type { CodexTools } from "./tools.ts";

/** Where a conversation continues. */
export type CodexStart =
  | { readonly type: "fresh" }
  /** The record has the tools that are offered now. */
  | { readonly type: "resume"; readonly thread: string; readonly path: string };

/** A thread in a running process. */
export interface OpenThread {
  readonly connection: CodexConnection;
  /** Codex's id of the conversation. */
  readonly thread: string;
  /** Its record, which Codex writes with the first turn; absent: it does not say where. */
  readonly path?: string | undefined;
}

/** Codex did not take up its own record. */
export class LostRecord extends Error {}

export interface CodexProcessOptions {
  readonly executable: string;
  readonly allowance: OutputAllowance;
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly listener: CodexListener;
}

interface CurrentProcess {
  readonly open: OpenThread;
  readonly temporary: string;
  /** What it was started with, and keeps for its whole life. */
  readonly model: string;
  readonly tools: string;
}

/**
 * Codex asks before each command that it does not know, and may only read. It has no tool for either; should it find one, it is asked
 * for here, and refused.
 */
const SAFETY = { approvalPolicy: "untrusted", sandbox: "read-only" } as const;

/** What is sent with each turn: what Codex remembers of it is not relied on. Without environments there is nothing that it could touch. */
export const TURN_SAFETY = {
  approvalPolicy: "untrusted",
  sandboxPolicy: { type: "readOnly", networkAccess: false },
  environments: [],
} as const;

/** The session's current process: at most one, and only that one is listened to. */
export class CodexProcess {
  readonly #options: CodexProcessOptions;
  #current: CurrentProcess | undefined;
  #listener: CodexListener | undefined;
  #closed = false;
  /** Resolves when the earlier processes have ended. */
  #gone: Promise<unknown> = Promise.resolve();

  constructor(options: CodexProcessOptions) {
    this.#options = options;
  }

  get open(): OpenThread | undefined {
    return this.#current?.open;
  }

  /** Whether the current process can take the next turn: it was started with what the session has now. */
  async fits({ specs }: CodexTools): Promise<boolean> {
    await this.#gone;
    if (this.#current === undefined) return false;
    const { model, tools } = this.#current;
    if (model === this.#options.host.model.name && tools === JSON.stringify(specs)) return true;
    this.drop();
    await this.#gone;
    return false;
  }

  /**
   * A new process with the conversation. Undefined when this was closed or dropped meanwhile. Rejects with LostRecord, with CodexGone when the
   * process ends before it has begun, or with a Failure.
   */
  async begin(start: CodexStart, { specs }: CodexTools): Promise<OpenThread | undefined> {
    const { host, executable, allowance } = this.#options;
    await this.#gone;
    if (this.#closed) return undefined;
    await this.#remove(leftTemporary(host.folder));
    const mine = this.#onlyWhileCurrent();
    this.#listener = mine;
    const model = host.model.name;
    const { connection, temporary } = await launchCodex({ executable, host, allowance, listener: mine });
    const opening = this.#thread(connection, start, specs).then(
      (open) => ({ open, error: undefined }),
      (error: unknown) => ({ open: undefined, error }),
    );
    const { open, error } = await opening;
    if (open !== undefined && this.#listener === mine) {
      this.#current = { open, temporary, model, tools: JSON.stringify(specs) };
      return open;
    }
    this.#end(connection, temporary);
    if (error === undefined) return undefined;
    throw error;
  }

  /** Ends the process, whatever it is doing. */
  drop(): void {
    const current = this.#current;
    this.#current = undefined;
    this.#listener = undefined;
    if (current !== undefined) this.#end(current.open.connection, current.temporary);
  }

  /** Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.drop();
    await this.#gone;
  }

  async #thread(connection: CodexConnection, start: CodexStart, tools: readonly VendorFields[]): Promise<OpenThread> {
    const { host, settings } = this.#options;
    const common = {
      ...SAFETY,
      cwd: codexHome(host.folder),
      model: host.model.name,
      modelProvider: PROVIDER,
      baseInstructions: systemPrompt(settings, { subagent: false }),
    };
    const asked =
      start.type === "fresh"
        ? connection.request("thread/start", { ...common, environments: [], dynamicTools: tools })
        : connection.request("thread/resume", {
            ...common,
            threadId: start.thread,
            path: start.path,
            excludeTurns: true,
          });
    const over = new AbortController();
    const late = host.sleep(LIMITS.engineStartMs, over.signal).then(() => undefined);
    const answer = await Promise.race([asked, late])
      .catch((error: Error) => {
        // That says nothing about its record.
        if (error instanceof CodexGone) throw error;
        throw start.type === "resume"
          ? new LostRecord(error.message)
          : new Failure("engine_failed", `Codex could not begin: ${error.message}`);
      })
      .finally(() => over.abort("over"));
    asked.catch(() => undefined);
    const thread = record(answer?.["thread"]);
    const id = text(thread["id"]);
    if (id === undefined)
      throw new Failure("engine_failed", "Codex was started, but did not begin. Send the prompt again.");
    return { connection, thread: id, path: text(thread["path"]) };
  }

  #end(connection: CodexConnection, temporary: string): void {
    const gone = connection.kill().then(() => this.#remove([temporary]));
    this.#gone = Promise.all([this.#gone, gone]);
  }

  #remove(paths: readonly string[]): Promise<void> {
    const { host } = this.#options;
    return removeWritten(host, { paths, cwd: codexHome(host.folder) });
  }

  #onlyWhileCurrent(): CodexListener {
    const { listener } = this.#options;
    const isCurrent = (): boolean => this.#listener === mine;
    const mine: CodexListener = {
      heard: (notice) => {
        if (isCurrent()) listener.heard(notice);
      },
      asked: (question, answer) => {
        if (isCurrent()) listener.asked(question, answer);
      },
      refused: (method) => {
        if (isCurrent()) listener.refused(method);
      },
      noise: (line) => {
        if (isCurrent()) listener.noise(line);
      },
      drained: () => (isCurrent() ? listener.drained() : Promise.resolve()),
      ended: (end) => {
        if (!isCurrent()) return;
        // Its children may have outlived it.
        this.drop();
        listener.ended(end);
      },
    };
    return mine;
  }
}
