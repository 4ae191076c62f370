import { createHash } from "node:crypto";
import type { ElementHandle, Page } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import { inOwnWorld } from "./own-world.ts";
import { readElement } from "./page-scripts.ts";
import type { PageMark } from "./shown.ts";

/** The first element that fits, in the page or in one of its frames. */
export async function findElement(page: Page, selector: string): Promise<ElementHandle | undefined> {
  for (const frame of page.frames().slice(0, LIMITS.browserFrames)) {
    // A frame may go away at any time; what is wrong with the selector is the same in the main one.
    const looking = frame.$(selector);
    const found = frame === page.mainFrame() ? await looking : await looking.catch(() => null);
    if (found !== null) return found;
  }
  return undefined;
}

/** Waits for it, in the main frame. Rejects as puppeteer does. */
export async function awaitElement(page: Page, selector: string): Promise<ElementHandle> {
  const found = (await findElement(page, selector)) ?? (await page.waitForSelector(selector));
  if (found === null) throw missing(selector);
  return found;
}

/** What `use` makes of an element, which is let go of then: a page keeps each that is held for as long as it is open. */
export async function withElement<Value>(
  element: ElementHandle,
  use: (element: ElementHandle) => Promise<Value>,
): Promise<Value> {
  try {
    return await use(element);
  } finally {
    // The page may be gone, and the element with it.
    element.dispose().catch(() => undefined);
  }
}

export function missing(selector: string): Error {
  return new Error(`No element found for selector: ${selector}`);
}

/** Of a page's address, what does not change while somebody reads it. */
export function pageAddress(url: string): string {
  return url.replace(/#.*$/s, "");
}

/** An element as people see it, and what tells it from others. */
interface SeenElement {
  readonly html: string;
  readonly mark: string;
}

/** Read beside the page's scripts: what they replace in their own world does not count here. */
export async function seenElement(handle: ElementHandle): Promise<SeenElement> {
  const most = { chars: LIMITS.browserMarkChars, fields: LIMITS.browserMarkFields };
  const { html, facts } = await inOwnWorld(handle, (own) => own.evaluate(readElement, most));
  const mark = createHash("sha256").update(handle.frame.url()).update(facts).digest("base64url");
  return { html: html.slice(0, LIMITS.browserElementChars), mark };
}

/** What a call would act on now. */
export async function pageMark(page: Page, selector: string | undefined): Promise<PageMark> {
  const url = pageAddress(page.url());
  const handle = selector === undefined ? undefined : await findElement(page, selector);
  if (handle === undefined) return { url, element: undefined };
  return { url, element: (await withElement(handle, seenElement)).mark };
}

interface OwnLoopback {
  /** Whether the loopback is nobody else's. */
  readonly ownLoopback: boolean;
}

/** Whether a page is the session's own, with all its frames: what is clicked or typed in one of another host's is not. */
export function isOwnPage(page: Page, where: OwnLoopback): boolean {
  const [main, ...inner] = page.frames();
  return (
    main !== undefined && isOwnAddress(main.url(), where) && inner.every((frame) => isOwnFrame(frame.url(), where))
  );
}

/** A frame without an address of its own holds what the page around it has written. */
function isOwnFrame(url: string, where: OwnLoopback): boolean {
  return url === "" || url === "about:srcdoc" || url.startsWith("data:") || isOwnAddress(url, where);
}

/** Whether it comes from inside of the session's sandbox. */
function isOwnAddress(url: string, { ownLoopback }: OwnLoopback): boolean {
  if (url === "about:blank") return true;
  if (!ownLoopback || !URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === "file:") return true;
  if (protocol === "blob:") return isOwnAddress(origin, { ownLoopback });
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && (hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname));
}
