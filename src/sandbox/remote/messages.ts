import { Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";

/** What the server asks of the helper inside a sandbox. `id` names a process for as long as the helper lives. */
export type HelperRequest =
  | {
      readonly type: "start";
      readonly id: number;
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      /** What each stream says when it connects; `stdin` absent: it reads nothing. */
      readonly streams: { readonly stdin?: string; readonly stdout: string; readonly stderr: string };
    }
  /** To the process alone. */
  | { readonly type: "signal"; readonly id: number; readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL" }
  /** To the process and all that it started. */
  | { readonly type: "end"; readonly id: number; readonly grace_ms: number };

/** What the helper says. It runs beside the agent's own programs, so nothing in it is believed further than it must be. */
export type HelperReport =
  | { readonly type: "ready" }
  | { readonly type: "started"; readonly id: number; readonly pid: number }
  | { readonly type: "refused"; readonly id: number; readonly message: string }
  | { readonly type: "exited"; readonly id: number; readonly code: number | null; readonly signal: string | null }
  /** It is ended because everything inside together used too much memory. */
  | { readonly type: "exceeded"; readonly id: number }
  /** Nothing that the process started is left. */
  | { readonly type: "ended"; readonly id: number };

export function encodeLine(message: HelperRequest | HelperReport): string {
  return `${JSON.stringify(message)}\n`;
}

/** Cuts a stream of bytes into lines. A line past the bound is a Failure: its writer is not one of ours. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LIMITS.sandboxMessageChars)
      throw new Failure("internal", "The sandbox's helper wrote a line without an end.");
    for (const line of lines) this.#onLine(line);
  }
}

/** Undefined for anything that the helper would not have written. */
export function readReport(line: string): HelperReport | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  const { type, id, pid, message, code, signal } = value;
  if (type === "ready") return { type };
  if (!isCount(id)) return undefined;
  switch (type) {
    case "started":
      return isCount(pid) ? { type, id, pid } : undefined;
    case "refused":
      return typeof message === "string" ? { type, id, message } : undefined;
    case "exited":
      return (code === null || isCount(code)) && (signal === null || typeof signal === "string")
        ? { type, id, code, signal }
        : undefined;
    case "exceeded":
    case "ended":
      return { type, id };
    default:
      return undefined;
  }
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
