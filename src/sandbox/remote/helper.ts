import type { ChildProcess } from "node:child_process";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { usedTogether } from "../bound-memory.ts";
import type { Exit } from "../drain.ts";
import { encodeLine, LineReader, readReport, type HelperReport, type HelperRequest } from "./messages.ts";

type StartMessage = HelperRequest & { readonly type: "start" };

export interface HelperLimits {
  /** Memory of everything inside together. */
  readonly memoryBytes: number;
  /** How many processes inside the kernel has ended for want of memory; absent: it ends none. */
  readonly killedForMemory?: (() => number) | undefined;
}

export interface HelperCare extends HelperLimits {
  /** Ends everything inside, where the end of the helper's own command would not. */
  readonly end?: (() => void) | undefined;
  /** The longest that it takes to answer; absent: LIMITS.sandboxAnswerMs. */
  readonly answerMs?: number | undefined;
}

/** A shell's code for a program that was killed. */
const KILLED = 137;

/** One process as the helper reports on it. */
interface ProcessReports {
  /** What `killedForMemory` was at its start. */
  readonly killedBefore: number;
  readonly started: (pid: number) => void;
  readonly refused: (message: string) => void;
  readonly exited: (exit: Exit) => void;
}

/** The server's end of the helper that runs inside a sandbox. When the helper ends, everything in the sandbox has ended. */
export class Helper {
  readonly #child: ChildProcess;
  /** Those that are not over. */
  readonly #processes = new Map<number, ProcessReports>();
  /** Who waits for the end of a process and all that it started. */
  readonly #enders = new Map<number, (() => void)[]>();
  /** Those that are ended for the memory that all use together. */
  readonly #exceeded = new Set<number>();
  readonly #limits: HelperCare;
  /** Resolves when the helper, and with it everything inside, has ended. */
  readonly gone: Promise<void>;
  #next = 0;
  #complaint = "";
  isOver = false;

  constructor(child: ChildProcess, limits: HelperCare) {
    this.#child = child;
    this.#limits = limits;
    this.gone = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#complaint = error.message;
        this.#lost();
        resolve();
      });
      child.once("close", () => {
        this.#lost();
        resolve();
      });
    });
    const reader = new LineReader((line) => this.#hear(line));
    child.stdin?.on("error", () => undefined);
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      try {
        reader.take(chunk);
      } catch {
        this.#endAll();
      }
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#complaint = (this.#complaint + chunk).slice(-LIMITS.engineStderrChars);
    });
  }

  /** The longest that it takes to answer. */
  get answerMs(): number {
    return this.#limits.answerMs ?? LIMITS.sandboxAnswerMs;
  }

  /** Answers once the process runs; one that cannot be started is a Failure `tool_failed`. */
  start(
    message: Omit<StartMessage, "type" | "id">,
  ): Promise<{ readonly id: number; readonly pid: number; readonly exited: Promise<Exit> }> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      let settle: (exit: Exit) => void = () => undefined;
      const exited = new Promise<Exit>((over) => {
        settle = over;
      });
      const refuse = (reason: string): void => reject(notStarted(message.argv, reason));
      if (this.isOver) {
        refuse(this.reason);
        return;
      }
      this.#processes.set(id, {
        killedBefore: this.#killed(),
        started: (pid) => resolve({ id, pid, exited }),
        refused: refuse,
        exited: settle,
      });
      this.#send({ type: "start", id, ...message });
    });
  }

  /** False when the process has ended. */
  signal(id: number, signal: "SIGINT" | "SIGTERM" | "SIGKILL"): boolean {
    if (!this.#processes.has(id)) return false;
    this.#send({ type: "signal", id, signal });
    return true;
  }

  /** Ends the process and all that it started. Resolves when all are gone. */
  async end(id: number, graceMs: number): Promise<void> {
    if (this.isOver) return;
    const tooLate = setTimeout(() => this.giveUp(), graceMs + this.answerMs);
    await new Promise<void>((resolve) => {
      this.#enders.set(id, [...(this.#enders.get(id) ?? []), resolve]);
      this.#send({ type: "end", id, grace_ms: graceMs });
    });
    clearTimeout(tooLate);
  }

  /** Ends everything inside because the helper is silent: any program inside can stop it. */
  giveUp(): void {
    this.#complaint = "it did not answer in time";
    this.#endAll();
  }

  /** Ends everything inside. */
  async close(): Promise<void> {
    if (!this.isOver) this.#endAll();
    await this.gone;
  }

  #endAll(): void {
    this.#child.kill("SIGKILL");
    this.#limits.end?.();
  }

  #send(message: HelperRequest): void {
    if (!this.isOver) this.#child.stdin?.write(encodeLine(message));
  }

  #hear(line: string): void {
    const report = readReport(line);
    if (report !== undefined && report.type !== "ready") this.#take(report);
  }

  #take(report: Exclude<HelperReport, { readonly type: "ready" }>): void {
    const process = this.#processes.get(report.id);
    switch (report.type) {
      case "started":
        process?.started(report.pid);
        return;
      case "refused":
        this.#processes.delete(report.id);
        process?.refused(report.message);
        return;
      case "exited":
        this.#processes.delete(report.id);
        process?.exited({ code: report.code, signal: report.signal, reason: this.#reasonFor(report, process) });
        return;
      case "exceeded":
        this.#exceeded.add(report.id);
        return;
      case "ended":
        this.#release(report.id);
    }
  }

  /** Why a process was ended here, or by the kernel. */
  #reasonFor(
    { id, code, signal }: { readonly id: number } & Pick<Exit, "code" | "signal">,
    { killedBefore }: ProcessReports,
  ): string | undefined {
    const wasKilled = signal === "SIGKILL" || code === KILLED;
    if (!this.#exceeded.delete(id) && !(wasKilled && this.#killed() > killedBefore)) return undefined;
    return usedTogether(this.#limits.memoryBytes);
  }

  #killed(): number {
    return this.#limits.killedForMemory?.() ?? 0;
  }

  #release(id: number): void {
    for (const resolve of this.#enders.get(id) ?? []) resolve();
    this.#enders.delete(id);
  }

  #lost(): void {
    this.isOver = true;
    const reason = this.reason;
    for (const [id, process] of this.#processes) {
      process.refused(reason);
      const end = { code: null, signal: "SIGKILL" } as const;
      process.exited({ ...end, reason: this.#reasonFor({ id, ...end }, process) ?? reason });
    }
    this.#processes.clear();
    for (const id of this.#enders.keys()) this.#release(id);
  }

  /** Why it ended. */
  get reason(): string {
    const complaint = this.#complaint.trim();
    return complaint === "" ? "its sandbox ended" : `its sandbox ended: ${complaint}`;
  }
}

export function notStarted(argv: readonly string[], reason: string): Failure {
  return new Failure("tool_failed", `${argv[0] ?? "The program"} could not be started: ${reason}.`);
}
