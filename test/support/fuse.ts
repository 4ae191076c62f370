import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { canUseFuse } from "./programs.ts";

const required = process.env["SALLYPORT_FUSE_TESTS"] === "required";

/** Tests that mount for real: left out, visibly, where there is no /dev/fuse or no root; never where they are required. */
export const describeWithFuse = canUseFuse || required ? describe : describe.skip;

/** How long a busy machine may take for what should happen at once. */
export const PATIENT = { timeout: 60_000, interval: 20 } as const;

/** A folder to mount on. Whatever is mounted there is gone with it. */
export class MountPlace {
  readonly root = mkdtempSync(join(tmpdir(), "sallyport-mount-"));
  readonly folder = join(this.root, "claude");

  /** Whether something is mounted here. */
  get mounted(): boolean {
    return readFileSync("/proc/self/mountinfo", "utf8").includes(` ${this.folder} `);
  }

  remove(): void {
    // A guard may just be doing the same.
    if (this.mounted) spawnSync("/bin/umount", ["-l", "-i", this.folder]);
    rmSync(this.root, { recursive: true, force: true });
  }
}

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * One command line of a shell, in the folder. This process may be the one that serves the files, so the shell goes there itself: while a child
 * that is being made changes its folder, its parent waits and answers nobody.
 */
export function shell(folder: string, line: string, timeoutMs = 60_000): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      "bash",
      ["--norc", "-c", `cd "$0" && ${line}`, folder],
      {
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        env: { PATH: process.env["PATH"], LC_ALL: "C" },
        maxBuffer: 64_000_000,
      },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? "?"), stdout, stderr }),
    );
  });
}
