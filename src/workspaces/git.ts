import { spawn } from "node:child_process";
import { Failure, LIMITS } from "../protocol/index.ts";
import { findRepository, withRepository, type Repository } from "./repository.ts";

interface GitOptions {
  readonly input?: string | Buffer | undefined;
  /** Beyond the few variables that every call has. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A repository that the server made for itself, where nobody else writes; absent: it is a person's. */
  readonly isOurs?: boolean | undefined;
  /** The one around the folder, if the caller has just looked for it. Absent: it is looked for. */
  readonly repository?: Repository | undefined;
  /** Settings that count for this call alone. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

interface GitAnswer {
  /** Null: it was ended by a signal, or could not be started. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly complaint: string;
}

/** What would start a program, ask a network, or write where nobody asked for it. */
const CALM: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.untrackedCache": "false",
  "protocol.allow": "never",
  "gc.auto": "0",
  "maintenance.auto": "false",
  // The folder belongs to whoever the server works for.
  "safe.directory": "*",
};

/** What git says; undefined: it failed. The repository's own settings are not read, nor are its hooks run: they start programs. */
export async function git(
  folder: string,
  words: readonly string[],
  call: GitOptions = {},
): Promise<string | undefined> {
  const { code, output } = await run(folder, words, call);
  return code === 0 ? output.toString("utf8") : undefined;
}

/** The same; a Failure with git's own words where it fails. */
export async function mustGit(folder: string, words: readonly string[], call: GitOptions = {}): Promise<string> {
  return (await gitBytes(folder, words, call)).toString("utf8").replace(/\n$/, "");
}

export async function gitBytes(folder: string, words: readonly string[], call: GitOptions = {}): Promise<Buffer> {
  const { code, output, complaint } = await run(folder, words, call);
  if (code === 0) return output;
  throw new Failure(
    "conflict",
    `git ${words[0] ?? ""} failed: ${complaint.trim() || "git is missing, or took too long"}`,
  );
}

/** The variables of a call of git: what would start a program or ask a network is switched off. */
export function gitEnvironment({
  settings = {},
  variables = {},
}: Pick<GitOptions, "settings" | "variables">): NodeJS.ProcessEnv {
  const all = Object.entries({ ...CALM, ...settings });
  return {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    ...variables,
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

async function run(folder: string, words: readonly string[], call: GitOptions): Promise<GitAnswer> {
  if (call.isOurs === true) return start(folder, words, call);
  const repository = call.repository ?? (await findRepository(folder));
  // Git would take a folder that looks like one for a repository, with all its settings.
  if (repository === undefined)
    return { code: null, output: Buffer.alloc(0), complaint: `${folder} is in no repository` };
  return withRepository(repository, (variables) =>
    start(folder, words, { ...call, variables: { ...variables, ...call.variables } }),
  );
}

function start(folder: string, words: readonly string[], call: GitOptions): Promise<GitAnswer> {
  const child = spawn("git", ["-C", folder, ...words], {
    env: gitEnvironment(call),
    stdio: ["pipe", "pipe", "pipe"],
    timeout: LIMITS.gitTimeoutMs,
    killSignal: "SIGKILL",
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LIMITS.gitOutputBytes) child.kill("SIGKILL");
    else chunks.push(chunk);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    if (complaint.length < LIMITS.engineStderrChars) complaint += chunk;
  });
  // It may end before it has read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.input ?? "");
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: null, output: Buffer.alloc(0), complaint }));
    child.once("close", (code) => resolve({ code, output: Buffer.concat(chunks), complaint }));
  });
}
