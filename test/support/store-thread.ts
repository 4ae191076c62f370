import { StoreThread } from "../../src/store/index.ts";

/** One for all stores of this process: a thread of its own takes half of the time that an app needs to open. */
export function storeThread(): StoreThread {
  const kept = globalThis as { sallyportTestThread?: StoreThread };
  if (kept.sallyportTestThread === undefined) {
    kept.sallyportTestThread = new StoreThread();
    kept.sallyportTestThread.unref();
  }
  return kept.sallyportTestThread;
}
