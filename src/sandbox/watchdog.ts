import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LIMITS } from "../protocol/index.ts";

/**
 * A shell that waits for a line. If the server dies, the pipe closes without one; then the shell becomes the program that
 * ends what the server left. Until then it takes a megabyte of memory.
 */
const WAIT = 'read -r word && exit 0; exec "$@"';
const PROGRAM = fileURLToPath(new URL("./after-death.js", import.meta.url));

interface WatchdogOptions {
  readonly marker: string;
  readonly life: number;
  /** Calls back once after `ms`; call the returned function to cancel. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly onLost: (reason: string) => void;
}

/** Ends the processes of this server if it is killed. */
export interface Watchdog {
  /** Call before each process is started: the first call starts the watchdog, which then waits at its pipe already. */
  begin(): void;
  /** The server stops normally, and has ended its processes. */
  close(): void;
}

/** A server without processes needs none. Linux only: elsewhere the next start ends what is left. */
export function openWatchdog(options: WatchdogOptions): Watchdog {
  let begun = false;
  let closed = false;
  let child: ChildProcess | undefined;
  let cancel = (): void => undefined;
  const start = (): void => {
    if (closed || process.platform !== "linux") return;
    const words = ["-c", WAIT, "sh", process.execPath, PROGRAM, options.marker, String(options.life)];
    // In its own process group: a signal to the server's group must not end it.
    const started = spawn("/bin/sh", words, { detached: true, cwd: "/", env: {}, stdio: ["pipe", "ignore", "ignore"] });
    child = started;
    let over = false;
    const lost = (reason: string): void => {
      if (over || closed) return;
      over = true;
      options.onLost(reason);
      cancel = options.after(LIMITS.watchdogRestartMs, start);
    };
    started.once("error", (error) => lost(error.message));
    started.once("exit", (code, signal) => lost(`it ended with ${signal ?? code ?? "nothing"}`));
    started.stdin?.on("error", () => undefined);
    started.unref();
    if (started.stdin !== null && "unref" in started.stdin) (started.stdin as { unref(): void }).unref();
  };
  return {
    begin: () => {
      if (begun) return;
      begun = true;
      // Synchronous: when this returns, the shell runs and holds its end of the pipe.
      start();
    },
    close: () => {
      closed = true;
      cancel();
      child?.stdin?.end("over\n");
    },
  };
}
