import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { t } from "./language/t.ts";

const LOAD_RETRY_MS = 250;
const LOAD_RETRY_CAP_MS = 5_000;
const LOAD_TRIES = 60;
/** A server that answers and still does not have the part: it was replaced by another version. */
const MISSING_TRIES = 2;

/**
 * Loads a part of the page. While the server is away it is tried again, as everything else on the page is: a restart in
 * this moment must not take away what is shown.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let missing = 0;
  for (let tried = 1; ; tried += 1) {
    try {
      return await load();
    } catch (cause) {
      if (await isServerThere()) missing += 1;
      if (missing >= MISSING_TRIES || tried >= LOAD_TRIES)
        throw new Error(t("A part of this page could not be loaded. Reload the page."), { cause });
      await passed(Math.min(LOAD_RETRY_CAP_MS, LOAD_RETRY_MS * 2 ** tried));
    }
  }
}

/** A component that is loaded when it is first shown. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(globalThis.location.href, { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

const passed = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
