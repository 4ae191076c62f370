import type { Files } from "./world.ts";
import { until } from "../../support/until.ts";

/** Opens an output and leaves it again, in one of the ways that readers do. */
async function openOnce(files: Files, folder: string, index: number): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  switch (index % 5) {
    case 0: {
      for await (const _bytes of files.mount.follow(`${folder}/output`, { signal })) break;
      controller.abort();
      return;
    }
    case 1: {
      for await (const _frame of files.mount.watch(`${folder}/output`, { signal })) break;
      controller.abort();
      return;
    }
    case 2:
      await files.text(`${folder}/output`);
      return;
    case 3:
      await files.outputUntilIdle(folder);
      return;
    default:
      await files.json(`${folder}/status`);
  }
}

/** Opens files so many times, a few at once. */
export async function openMany(files: Files, folder: string, count: number): Promise<void> {
  let next = 0;
  const reader = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await openOnce(files, folder, next);
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
}

/** One number of `/metrics`. */
export async function metric(files: Files, name: string): Promise<number> {
  const { text } = await files.http("GET", "/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${name} `)) ?? "";
  return Number(line.slice(name.length));
}

/** Resolves when nobody watches any more: an aborted connection is noticed a moment later. */
export async function untilUnwatched(files: Files): Promise<void> {
  await until(async () => (await metric(files, "sallyport_watchers")) === 0);
}
