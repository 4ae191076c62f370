import { ReadError } from "./error.ts";
import type { ToPage, ToWorker } from "./messages.ts";
import { buffersOf } from "./packed.ts";
import { parseFile } from "./parse.ts";

function tell(message: ToPage, buffers: readonly ArrayBufferLike[] = []): void {
  postMessage(message, { transfer: buffers as ArrayBuffer[] });
}

async function read({ blob, options }: ToWorker): Promise<void> {
  try {
    const table = await parseFile(blob, { ...options, progress: (share) => tell({ type: "progress", share }) });
    tell({ type: "done", table }, buffersOf(table));
  } catch (error) {
    const code = error instanceof ReadError ? error.code : "bad_format";
    const words = error instanceof Error ? error.message : "The file cannot be read.";
    tell({ type: "failed", code, words, choices: error instanceof ReadError ? error.choices : undefined });
  }
}

addEventListener("message", (event: MessageEvent<ToWorker>) => {
  void read(event.data);
});
