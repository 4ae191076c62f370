import { spawn } from "node:child_process";
import { LIMITS } from "../../protocol/index.ts";

interface ChildRun {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. `output` is the beginning of what it printed, standard error left out. */
export type ChildEnd =
  | { readonly how: "exited"; readonly code: number; readonly output: string }
  /** `code`: such as ENOENT. */
  | { readonly how: "not started"; readonly code: string }
  | { readonly how: "too slow" }
  | { readonly how: "stopped" };

/** Runs a program without input to its end, bounded in time and memory. Its children end with it. */
export function runChild({ program, words, environment, cwd, limitMs, signal }: ChildRun): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words], {
      cwd,
      env: { ...environment },
      stdio: ["ignore", "pipe", "ignore"],
      // A process group of its own, so that its children end with it.
      detached: process.platform !== "win32",
      // npm is a script of the shell there.
      shell: process.platform === "win32",
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (end: ChildEnd): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      child.stdout.destroy();
      if (end.how === "too slow" || end.how === "stopped") endGroup(child.pid);
      resolve(end);
    };
    const stop = (): void => finish({ how: "stopped" });
    const timer = setTimeout(() => finish({ how: "too slow" }), limitMs);
    signal?.addEventListener("abort", stop, { once: true });
    child.on("error", (error: NodeJS.ErrnoException) => finish({ how: "not started", code: error.code ?? "?" }));
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= LIMITS.programAnswerBytes) chunks.push(chunk);
    });
    child.on("close", (code) =>
      finish({ how: "exited", code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") }),
    );
    if (signal?.aborted === true) stop();
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
