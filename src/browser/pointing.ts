import type { ElementHandle, Frame, Page } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import { inOwnWorld } from "./own-world.ts";
import { hasFocus, hitAt, type OtherElement, type PagePoint } from "./page-scripts.ts";

/** Clicks the element, and nothing that lies over it or is laid over it meanwhile. Rejects with the reason. */
export async function clickOn(page: Page, handle: ElementHandle): Promise<void> {
  // It does nothing where the element is in view. To ask first would take a frame.
  await handle.scrollIntoView();
  const point = await handle.clickablePoint();
  // A page sees the mouse come, and can answer to that.
  await page.mouse.move(point.x, point.y);
  const before = await otherAt(handle, point);
  if (before !== undefined) throw new Error(`another element lies over it: ${before.html}`);
  await page.mouse.down();
  const during = await otherAt(handle, point);
  if (during?.isFrame !== true) {
    await page.mouse.up();
    return;
  }
  // A click is where it was pressed and released: let go elsewhere, it is none.
  await page.mouse.move(-1, -1);
  await page.mouse.up();
  throw new Error(`another page was laid over it: ${during.html}`);
}

/** Gives the element the focus. Rejects if it does not take it: the keys would go elsewhere. */
export async function focusOn(handle: ElementHandle): Promise<void> {
  await handle.focus();
  const missed = await alongPath(handle, async (element) =>
    (await inOwnWorld(element, (own) => own.evaluate(hasFocus))) ? undefined : true,
  );
  if (missed === true) throw new Error("it does not take the focus");
}

/** What would be hit at this point of the page. Undefined: the element. */
async function otherAt(handle: ElementHandle, point: PagePoint): Promise<OtherElement | undefined> {
  let place = point;
  return alongPath(handle, async (element) => {
    const most = LIMITS.browserElementChars;
    const { other, inside } = await inOwnWorld(element, (own) => own.evaluate(hitAt, place, most));
    place = inside;
    return other;
  });
}

/** The first answer about the frames' elements from the page down to the element, which is the last one. */
async function alongPath<Answer>(
  handle: ElementHandle,
  ask: (element: ElementHandle) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const frames: ElementHandle[] = [];
  try {
    for (let frame: Frame | null = handle.frame; frame !== null; frame = frame.parentFrame()) {
      const element = await frame.frameElement();
      if (element !== null) frames.unshift(element);
    }
    for (const element of [...frames, handle]) {
      const answer = await ask(element);
      if (answer !== undefined) return answer;
    }
    return undefined;
  } finally {
    for (const element of frames) element.dispose().catch(() => undefined);
  }
}
