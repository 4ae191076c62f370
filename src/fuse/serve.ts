import { closeSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { FuseLoop } from "./loop.ts";
import type { Mounted } from "./mounting.ts";

export interface ServeMountOptions {
  readonly loop: FuseLoop;
  readonly mounted: Mounted;
  readonly folder: string;
  /** Reads of the device that wait at once. */
  readonly readers: number;
  /** Unmounts and ends when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Answers requests until the folder is unmounted, by anybody, or until the signal. Afterwards nothing is left: no mount, no waiting call, no
 * thread. A read of the device ends only with a request or with the last user of the mount, so at the end each reader gets a request of our
 * own.
 */
export async function serveMount({ loop, mounted, folder, readers, signal }: ServeMountOptions): Promise<void> {
  const running = loop.run();
  let parting: Promise<Parted> | undefined;
  const leave = (): void => {
    parting ??= part({ loop, mounted, folder, readers, running });
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  await running;
  signal.removeEventListener("abort", leave);
  const parted = await parting;
  mounted.dismissGuard();
  // Everything that still waits for an answer, including our own requests, fails with this.
  closeSync(mounted.fd);
  await parted?.inside?.close();
  if (parted?.failure !== undefined) throw parted.failure;
}

interface Parted {
  readonly inside: FileHandle | undefined;
  /** Why the folder is still mounted although nothing serves it. */
  readonly failure: Error | undefined;
}

async function part({
  loop,
  mounted,
  folder,
  readers,
  running,
}: Omit<ServeMountOptions, "signal"> & { readonly running: Promise<void> }): Promise<Parted> {
  loop.leave();
  const inside = await open(folder, "r").catch(() => undefined);
  const failure = await mounted.unmount().then(
    () => undefined,
    (error: Error) => error,
  );
  loop.stop();
  await rouse(inside, readers, running);
  return { inside, failure };
}

/** A process inside a folder can still make requests after it was unmounted. Each request wakes one reader for its last read. */
async function rouse(inside: FileHandle | undefined, readers: number, running: Promise<void>): Promise<void> {
  if (inside === undefined) return;
  for (let reader = 0; reader < readers; reader += 1) {
    const asked = inside.stat().catch(() => undefined);
    await Promise.race([asked, running]);
  }
}
