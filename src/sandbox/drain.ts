import type { Readable } from "node:stream";
import { LIMITS } from "../protocol/index.ts";
import type { Running, SpawnRequest } from "./sandbox.ts";

export type Exit = Awaited<Running["exit"]>;

interface Outputs {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The process is over; its output may still come. Never rejects. */
  readonly exited: Promise<Exit>;
  readonly onOutput: SpawnRequest["onOutput"];
}

/**
 * Resolves when the process is over and all it wrote was handed on. Something it left in the background may hold its
 * pipes open without end, so silence counts as the end too; from then on what comes is read and thrown away.
 */
export async function drain({ stdout, stderr, exited, onOutput }: Outputs): Promise<Exit> {
  let over = false;
  let chunks = 0;
  const closed = Promise.all(
    (
      [
        ["stdout", stdout],
        ["stderr", stderr],
      ] as const
    ).map(([name, stream]) => {
      stream.on("data", (chunk: Buffer) => {
        chunks += 1;
        if (!over) onOutput(chunk, name);
      });
      // A pipe that breaks is a pipe that ended.
      stream.on("error", () => undefined);
      return new Promise<void>((resolve) => {
        stream.once("end", resolve);
        stream.once("close", resolve);
      });
    }),
  );
  const exit = await exited;
  const silent = new Promise<void>((resolve) => {
    let seen = chunks;
    let rounds = Math.ceil(LIMITS.outputDrainMs / LIMITS.outputQuietMs);
    const look = (): void => {
      if (over) return;
      rounds -= 1;
      if (chunks === seen || rounds <= 0) {
        for (const stream of [stdout, stderr]) release(stream);
        resolve();
        return;
      }
      seen = chunks;
      wait();
    };
    // The pipes are read once more between the timer and the look: a busy server may be late with both.
    const wait = (): void => void setTimeout(() => setImmediate(look), LIMITS.outputQuietMs);
    wait();
  });
  await Promise.race([closed, silent]);
  over = true;
  return exit;
}

/** It is still read, so that who holds the other end is not blocked, but keeps no process alive. */
function release(stream: Readable): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
