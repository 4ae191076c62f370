import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

type Said =
  | { readonly kind: "open"; readonly pid: number }
  | { readonly kind: "stored"; readonly id: string; readonly seq: number }
  | {
      readonly kind: "ended";
      readonly codes: readonly string[];
      readonly later: string;
      readonly readable: string;
      readonly fatal: number;
    };

export interface Child {
  /** What it prints, line by line, to its end. */
  readonly says: AsyncIterable<Said>;
  /** Kills it as the machine would, and waits until it is gone. */
  kill(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("append-child.mjs", import.meta.url));

/** Starts a process that appends to `path`; with `fileBlocks`, one that may not make a file of more blocks of 512 bytes. */
export function startAppending(path: string, options: { readonly bytes: number; readonly fileBlocks?: number }): Child {
  const args = [SCRIPT, path, String(options.bytes)];
  const child =
    options.fileBlocks === undefined
      ? spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      : spawn("sh", ["-c", `ulimit -f ${options.fileBlocks}; exec "$0" "$@"`, process.execPath, ...args], {
          stdio: ["ignore", "pipe", "inherit"],
        });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    says: parsed(createInterface({ input: child.stdout })),
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function* parsed(lines: AsyncIterable<string>): AsyncIterable<Said> {
  // The last line of a killed process can be half of one.
  for await (const line of lines) if (line.endsWith("}")) yield JSON.parse(line) as Said;
}
