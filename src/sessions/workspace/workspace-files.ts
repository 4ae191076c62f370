import { spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { isInside } from "../../gate/index.ts";
import type { Clock } from "../dependencies.ts";

export interface ListedFiles {
  /** Relative to the workspace. */
  readonly files: readonly string[];
  readonly truncated: boolean;
}

/** Files that usually hold a key: nobody needs to name them to an agent. */
const SECRET =
  /(^|\/)(\.env(\.[^/]*)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx|keystore|jks|kdbx))$|(^|\/)\.(ssh|aws|gnupg|kube)\//i;

/** Whether a file of this name usually holds a secret, or is one of git's own. */
export function mayHoldSecret(path: string): boolean {
  return SECRET.test(path) || /(^|\/)\.git(\/|$)/.test(path);
}

/** The names of a workspace's files as git sees them, cached briefly: a person who types queries at every letter. */
export class WorkspaceFiles {
  readonly #clock: Pick<Clock, "now">;
  /** The server's own folders. Absolute, real. */
  readonly #hidden: readonly string[];
  /** Most recently used last. */
  readonly #kept = new Map<string, { readonly at: number; readonly listed: Promise<ListedFiles> }>();
  /** How many listing programs are running. */
  #listing = 0;

  constructor(clock: Pick<Clock, "now">, hidden: readonly string[]) {
    this.#clock = clock;
    this.#hidden = hidden;
  }

  of(workspace: string): Promise<ListedFiles> {
    const kept = this.#kept.get(workspace);
    if (kept !== undefined && this.#clock.now() - kept.at < LIMITS.listedFilesKeptMs) return kept.listed;
    const listed = this.#list(workspace);
    this.#kept.delete(workspace);
    this.#kept.set(workspace, { at: this.#clock.now(), listed });
    listed.catch(() => this.#kept.delete(workspace));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= LIMITS.listedWorkspaces) break;
      this.#kept.delete(oldest);
    }
    return listed;
  }

  async #list(workspace: string): Promise<ListedFiles> {
    if (this.#listing >= LIMITS.listedWorkspaces)
      throw new Failure("limit_reached", `the files of ${this.#listing} workspaces are being listed; try again`);
    this.#listing += 1;
    try {
      // The folder may have been replaced by a link, whose target never belonged to this session.
      if ((await realpath(workspace).catch(() => undefined)) !== workspace) throw missing(workspace);
      return await listFiles(workspace, (file) => !SECRET.test(file) && !this.#isOwn(workspace, join(workspace, file)));
    } finally {
      this.#listing -= 1;
    }
  }

  /** A workspace below them is a session's own tree. */
  #isOwn(workspace: string, path: string): boolean {
    return this.#hidden.some((folder) => isInside(folder, path) && !isInside(folder, workspace));
  }
}

function missing(workspace: string): Failure {
  return new Failure("workspace_missing", `the workspace ${workspace} is gone or cannot be read`);
}

/** Includes hidden files, but not what .gitignore names. Follows no links. */
async function listFiles(workspace: string, wanted: (file: string) => boolean): Promise<ListedFiles> {
  const { rgPath } = await import("@vscode/ripgrep");
  const program = spawn(rgPath, ["--files", "--hidden", "--no-require-git", "--no-messages", "-0", "--glob", "!.git"], {
    cwd: workspace,
    env: {},
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMITS.listFilesMs,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    program.once("error", () => reject(missing(workspace)));
    program.once("close", (_code, signal) => resolve(signal));
  });
  // Awaited below; this prevents an unhandled rejection if reading fails first.
  ended.catch(() => undefined);
  const { files, whole } = await namesFrom(program.stdout.setEncoding("utf8"), wanted);
  if (!whole) program.kill("SIGKILL");
  const killed = (await ended) !== null;
  return { files, truncated: !whole || killed };
}

async function namesFrom(
  output: AsyncIterable<string>,
  wanted: (file: string) => boolean,
): Promise<{ readonly files: readonly string[]; readonly whole: boolean }> {
  const files: string[] = [];
  let rest = "";
  let chars = 0;
  try {
    for await (const chunk of output) {
      const names = (rest + chunk).split("\0");
      rest = names.pop() ?? "";
      for (const name of names) {
        if (name.length > LIMITS.pathChars || !wanted(name)) continue;
        files.push(name);
        chars += name.length;
      }
      if (files.length > LIMITS.listedFiles || chars > LIMITS.listedFileChars || rest.length > LIMITS.pathChars)
        return { files: files.slice(0, LIMITS.listedFiles), whole: false };
    }
  } catch {
    return { files, whole: false };
  }
  return { files, whole: true };
}
