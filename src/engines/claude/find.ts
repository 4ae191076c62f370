import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { isProgram } from "../vendor/programs.ts";

/**
 * Older versions do not know `client_composed`: they would read the file behind an `@name` in a prompt without asking, and
 * take a prompt that begins with a slash for their own command.
 */
const LEAST_VERSION = "2.1.248";
export const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

/** What brings the SDK's package: a clone has it in its lock file, an installed Sallyport gets it beside itself. */
export function installCommand(importer: string): string {
  return importer.includes("/node_modules/") ? `npm install ${SDK_PACKAGE}` : "npm ci --ignore-scripts";
}

function helpFor({ importer = import.meta.url }: ClaudeOptions): string {
  return `Install Claude Code (https://claude.com/claude-code) or run: ${installCommand(importer)}`;
}

export interface ClaudeOptions {
  /** The program; absent: it is looked for in `searchPath`, then in the SDK's own package. */
  readonly executable?: string | undefined;
  /** Absolute folders. */
  readonly searchPath?: readonly string[] | undefined;
  /** The file from which the SDK's package is resolved; absent: this one. */
  readonly importer?: string | undefined;
  /** How often the program retries a failed model request; absent: LIMITS.modelRetries. */
  readonly retries?: number | undefined;
}

/** Where the program may be, the best place first. */
export function findClaude(options: ClaudeOptions): readonly string[] {
  if (options.executable !== undefined) return [options.executable].filter(isProgram);
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  const found = [
    ...(options.searchPath ?? []).map((folder) => join(folder, name)),
    ...packaged(options.importer ?? import.meta.url, name),
  ];
  return [...new Set(found.filter(isProgram).map((path) => realpathSync(path)))];
}

/** Why there is none; undefined: there is one, though it may be too old. */
export function missingClaude(options: ClaudeOptions): string | undefined {
  if (findClaude(options).length > 0) return undefined;
  const where = options.executable === undefined ? "" : ` at ${options.executable}`;
  return `Claude Code was not found${where}. ${helpFor(options)}`;
}

/** Finds the program and checks once that it is new enough. */
export function claudeFinder(options: ClaudeOptions): (host: Host) => Promise<string> {
  let found: Promise<string> | undefined;
  return (host) => {
    found ??= firstGood(options, host).catch((error: unknown) => {
      // It may be installed while the server runs.
      found = undefined;
      throw error;
    });
    return found;
  };
}

async function firstGood(options: ClaudeOptions, host: Host): Promise<string> {
  const places = findClaude(options);
  const old: string[] = [];
  for (const path of places) {
    const first = await askVersion(path, host);
    // Another process killed it, not knowing what it was: that says nothing about the program.
    const { version } = first.killed ? await askVersion(path, host) : first;
    if (version !== undefined && isAtLeast(version, LEAST_VERSION)) return path;
    old.push(`${path} is ${version ?? "no Claude Code that runs here"}`);
  }
  if (old.length > 0)
    throw new Failure(
      "unsupported",
      `Claude Code ${LEAST_VERSION} or newer is needed: ${old.join(", ")}. ${helpFor(options)}`,
    );
  throw new Failure("unsupported", missingClaude(options) ?? helpFor(options));
}

/** `version` absent: it printed none. */
async function askVersion(
  path: string,
  host: Host,
): Promise<{ readonly version?: string | undefined; readonly killed: boolean }> {
  const program = await host.sandbox.open({ argv: [path, "--version"], cwd: dirname(path) }).catch(() => undefined);
  if (program === undefined) return { killed: false };
  const over = new AbortController();
  try {
    program.stdin.end();
    program.stderr.resume();
    let said = "";
    program.stdout.setEncoding("utf8");
    program.stdout.on("data", (chunk: string) => {
      if (said.length < LIMITS.engineStderrChars) said += chunk;
    });
    const ended = new Promise<void>((resolve) => {
      program.stdout.once("close", resolve);
      program.stdout.once("end", resolve);
    });
    const late = pause(LIMITS.engineVersionMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([ended, late]);
    const end = await Promise.race([program.exit, late]);
    return { version: /^(\d+\.\d+\.\d+)/.exec(said.trim())?.[1], killed: typeof end?.signal === "string" };
  } finally {
    over.abort();
    await program.kill({ graceMs: LIMITS.engineKillMs });
  }
}

function isAtLeast(version: string, least: string): boolean {
  const [left, right] = [version, least].map((text) => text.split(".").map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const has = left?.[index] ?? 0;
    if (has !== wanted) return has > wanted;
  }
  return true;
}

/** The SDK ships the program in one package per platform. */
function packaged(importer: string, name: string): readonly string[] {
  const platform = `${process.platform}-${process.arch}`;
  const variants = process.platform === "linux" ? [platform, `${platform}-musl`] : [platform];
  return variants.flatMap((variant) => {
    try {
      const sdk = createRequire(importer).resolve(SDK_PACKAGE);
      return [join(dirname(createRequire(sdk).resolve(`${SDK_PACKAGE}-${variant}/package.json`)), name)];
    } catch {
      return [];
    }
  });
}
