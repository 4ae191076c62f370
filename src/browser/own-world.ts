import type { ElementHandle, Frame } from "puppeteer-core";

/** puppeteer's own world in a frame, which its types leave out: the same document, with functions that no script of the page can replace. */
interface OwnWorld {
  isolatedRealm(): { adoptHandle(handle: ElementHandle): Promise<ElementHandle> };
}

/** What `use` makes of the element as the browser has it: a page cannot change what reading it answers. It is let go of then. */
export async function inOwnWorld<Value>(
  handle: ElementHandle,
  use: (own: ElementHandle) => Promise<Value>,
): Promise<Value> {
  const frame: Frame & Partial<OwnWorld> = handle.frame;
  if (frame.isolatedRealm === undefined) throw new Error("this puppeteer-core has no world of its own in a page");
  const own = await frame.isolatedRealm().adoptHandle(handle);
  try {
    return await use(own);
  } finally {
    // The page may be gone, and the element with it.
    own.dispose().catch(() => undefined);
  }
}
