import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { LIMITS } from "../../protocol/index.ts";

interface ProgramRun {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
}

interface ProgramAnswer {
  /** Null: it could not be started, or was ended. */
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
}

/** Runs a program that speaks with the outside for a person. It has no terminal, so it can ask for nothing, and all of it ends in time. */
export function runProgram({ program, words, cwd, env, input = "" }: ProgramRun): Promise<ProgramAnswer> {
  const child = spawn(program, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const said = { output: "", complaint: "" };
  const keep = (name: keyof typeof said) => (chunk: string) => {
    if (said[name].length < LIMITS.engineStderrChars)
      said[name] = (said[name] + chunk).slice(0, LIMITS.engineStderrChars);
  };
  child.stdout.setEncoding("utf8").on("data", keep("output"));
  child.stderr.setEncoding("utf8").on("data", keep("complaint"));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const timer = setTimeout(() => endGroup(child.pid), LIMITS.pushTimeoutMs);
  return new Promise((resolve) => {
    const done = (code: number | null): void => {
      clearTimeout(timer);
      resolve({ code, ...said });
    };
    child.once("error", () => done(null));
    child.once("close", done);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** Where a program is; undefined: it is not installed. One in a folder that sessions write in does not count. */
export async function findProgram(name: string, path: string, written: readonly string[]): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder) || written.some((own) => isWithin(own, folder))) continue;
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === "" || (below !== ".." && !below.startsWith("../") && !isAbsolute(below));
}
