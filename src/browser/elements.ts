import type { ElementHandle, Page } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
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

export async function seenElement(handle: ElementHandle): Promise<SeenElement> {
  const seen: unknown = await handle.evaluate((element, most) => {
    const take = (value: unknown): string => (typeof value === "string" ? value.slice(0, most) : "");
    const form = element.closest("form");
    const words = [element.tagName, element.id, element.textContent?.trim(), form?.getAttribute("action")];
    const attributes = ["name", "type", "href", "value", "formaction"].map((name) => element.getAttribute(name));
    return { html: take(element.outerHTML), mark: JSON.stringify([...words, ...attributes].map(take)) };
  }, LIMITS.browserElementChars);
  // A page can replace what it runs: what comes back is text or nothing.
  const { html, mark } = Object(seen) as Record<string, unknown>;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return { html: text(html).slice(0, LIMITS.browserElementChars), mark: text(mark) };
}

/** What a call would act on now. */
export async function pageMark(page: Page, selector: string | undefined): Promise<PageMark> {
  const url = pageAddress(page.url());
  const handle = selector === undefined ? undefined : await findElement(page, selector);
  if (handle === undefined) return { url, element: undefined };
  return { url, element: (await withElement(handle, seenElement)).mark };
}

/** Whether a page is the session's own: it comes from inside of its sandbox, where its loopback is nobody else's. */
export function isOwnPage(url: string, { ownLoopback }: { readonly ownLoopback: boolean }): boolean {
  if (url === "about:blank") return true;
  if (!ownLoopback || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "file:") return true;
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && (hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname));
}
