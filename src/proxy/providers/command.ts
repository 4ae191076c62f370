import { spawn, type ChildProcess } from "node:child_process";
import { LIMITS } from "../../protocol/index.ts";
import type { ProviderEnvironment } from "./resolve.ts";

export type CommandOutcome =
  | { readonly ok: true; readonly output: string }
  /** Shown to people; contains nothing that the command printed. */
  | { readonly ok: false; readonly why: string };

export interface CommandCall {
  /** A list is run directly; a text is run by `/bin/sh -c`. */
  readonly command: string | readonly string[];
  readonly environment: ProviderEnvironment;
  readonly signal: AbortSignal;
  /** Absent: `credentialCommandMs`. */
  readonly limitMs?: number | undefined;
}

/**
 * Runs a command for its output, bounded in time and size. It sees only PATH and HOME of our environment. Its standard
 * error is discarded, as it may hold the key.
 */
export function runCommand({ command, environment, signal, limitMs }: CommandCall): Promise<CommandOutcome> {
  const [program = "", ...words] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, words, {
        cwd: "/",
        env: environmentOf(environment),
        stdio: ["ignore", "pipe", "ignore"],
        // A process group of its own, so that its children end with it.
        detached: true,
      });
    } catch {
      resolve({ ok: false, why: "cannot be started" });
      return;
    }
    watch(child, { signal, limitMs: limitMs ?? LIMITS.credentialCommandMs }, resolve);
  });
}

function watch(
  child: ChildProcess,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  resolve: (outcome: CommandOutcome) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let drain: NodeJS.Timeout | undefined;
  const finish = (outcome: CommandOutcome): void => {
    clearTimeout(limit);
    clearTimeout(drain);
    signal.removeEventListener("abort", stop);
    child.stdout?.destroy();
    endGroup(child);
    resolve(outcome);
  };
  const stop = (): void => finish({ ok: false, why: "was ended because the server stops" });
  const limit = setTimeout(() => finish({ ok: false, why: `took longer than ${limitMs / 1_000} s` }), limitMs);
  const end = (): void => finish(outcomeOf(child, Buffer.concat(chunks)));
  signal.addEventListener("abort", stop, { once: true });
  child.on("error", (error: NodeJS.ErrnoException) =>
    finish({ ok: false, why: `cannot be started (${error.code ?? "?"})` }),
  );
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LIMITS.credentialBytes) {
      finish({ ok: false, why: `printed more than ${LIMITS.credentialBytes} bytes` });
      return;
    }
    chunks.push(chunk);
  });
  child.on("close", end);
  // A process that it left behind may hold the pipe forever.
  child.on("exit", () => {
    drain = setTimeout(end, LIMITS.outputDrainMs);
  });
  if (signal.aborted) stop();
}

function outcomeOf({ exitCode, signalCode }: ChildProcess, output: Buffer): CommandOutcome {
  if (signalCode !== null) return { ok: false, why: `was ended by ${signalCode}` };
  if (exitCode !== 0) return { ok: false, why: `ended with code ${exitCode}` };
  return { ok: true, output: output.toString("utf8") };
}

/** Only while the group's leader runs: later its id may belong to another process. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function environmentOf(environment: ProviderEnvironment): Record<string, string> {
  const { PATH, HOME } = environment;
  return { PATH: PATH ?? "/usr/local/bin:/usr/bin:/bin", ...(HOME === undefined ? {} : { HOME }) };
}
