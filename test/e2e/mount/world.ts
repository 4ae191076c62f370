import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { shell, type Ended } from "../../support/fuse.ts";

const MAIN = resolve(import.meta.dirname, "../../../dist/cli/main.js");

/** The real `sallyport mount` as a process of its own. */
export interface MountProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  log(): string;
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export async function startMount(options: {
  /** Absent: the server of `home` is looked for. */
  readonly url?: string;
  readonly home?: string;
  readonly token?: string;
  readonly folder: string;
  readonly words?: readonly string[];
  /** The most that its heap may have. Absent: as Node has it. */
  readonly heapMiB?: number;
}): Promise<MountProcess> {
  const heap = options.heapMiB === undefined ? [] : [`--max-old-space-size=${options.heapMiB}`];
  const { url, home = "/nonexistent", token } = options;
  const place = url === undefined ? ["--home", home] : ["--server", url];
  const words = [...place, "mount", ...(options.words ?? []), options.folder];
  const child = spawn(process.execPath, [...heap, MAIN, ...words], {
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      ...(token === undefined ? {} : { SALLYPORT_TOKEN: token }),
    },
    stdio: ["ignore", "ignore", "pipe"],
    cwd: "/",
  });
  const lines: string[] = [];
  const exited = once(child, "exit").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  await new Promise<void>((ready, failed) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      if (line.includes("is ready")) ready();
    });
    void exited.then(({ code }) => failed(new Error(`mount ended with ${code}: ${lines.join("\n")}`)));
  });
  return {
    child,
    exited,
    log: () => lines.join("\n"),
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts a session through the files; its id. */
export async function newSession(folder: string, request: object): Promise<string> {
  const text = JSON.stringify(request).replaceAll("'", "'\\''");
  const { stdout, stderr } = await shell(folder, `exec 3<>new; echo '${text}' >&3; cat <&3`);
  if (stderr !== "") throw new Error(stderr);
  return (JSON.parse(stdout) as { session_id: string }).session_id;
}

export const sim = (...steps: readonly object[]): string => `Do as told.\nsim: ${JSON.stringify(steps)}`;

/** A command line that must work; its output. */
export async function ok(folder: string, line: string): Promise<string> {
  const ended: Ended = await shell(folder, line);
  if (ended.code !== 0 || ended.stderr !== "") throw new Error(`${line}: ${JSON.stringify(ended)}`);
  return ended.stdout;
}
