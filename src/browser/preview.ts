import type { ElementHandle, Page, ScreenshotClip } from "puppeteer-core";
import { LIMITS, type ImageBlock, type PagePreview } from "../protocol/index.ts";
import { genericPreview, type ToolPreview } from "../tools/index.ts";
import { findElement, pageAddress, seenElement, withElement } from "./elements.ts";
import { VIEWPORT, withinTime } from "./running.ts";
import type { SessionBrowser } from "./session-browser.ts";

/** Around the element. */
const MARGIN_PX = 120;
const QUALITY = 60;

interface PreviewRequest {
  /** Identifies the call among those that were shown. */
  readonly call: string;
  readonly input: unknown;
  readonly selector?: string | undefined;
}

/** The page, the element and a picture of it. Starts no browser; what was shown is remembered, and the call runs only on the same. */
export async function previewOnPage(browser: SessionBrowser, request: PreviewRequest): Promise<ToolPreview> {
  const { page } = browser;
  const { preview, warnings } = genericPreview(request.input);
  if (preview.type !== "generic") return { preview, warnings };
  if (page === undefined) return { preview: { ...preview, page: {} }, warnings };
  const seen = await withinTime(look(browser, page, request), LIMITS.browserGraceMs, "").catch((): PagePreview => ({
    url: pageAddress(page.url()),
  }));
  return { preview: { ...preview, page: seen }, warnings };
}

async function look(browser: SessionBrowser, page: Page, request: PreviewRequest): Promise<PagePreview> {
  const { call, selector } = request;
  const url = pageAddress(page.url());
  const handle = selector === undefined ? undefined : await findElement(page, selector);
  if (handle !== undefined) return withElement(handle, (element) => lookAt(browser, page, { call, url, element }));
  return lookAt(browser, page, { call, url });
}

interface Looking {
  readonly call: string;
  readonly url: string;
  readonly element?: ElementHandle | undefined;
}

async function lookAt(browser: SessionBrowser, page: Page, { call, url, element }: Looking): Promise<PagePreview> {
  const seen = element === undefined ? undefined : await seenElement(element);
  browser.shown.remember(call, { url, element: seen?.mark });
  const title = (await page.title()).slice(0, LIMITS.browserTitleChars);
  const picture = await pictureOf(page, element).catch(() => undefined);
  return {
    url,
    title,
    ...(seen === undefined ? {} : { element: seen.html }),
    ...(picture === undefined ? {} : { picture }),
  };
}

async function pictureOf(page: Page, handle: ElementHandle | undefined): Promise<ImageBlock | undefined> {
  const box = await handle?.boundingBox();
  const clip = box === undefined || box === null ? undefined : around(box);
  const data = await page.screenshot({
    type: "jpeg",
    quality: QUALITY,
    encoding: "base64",
    ...(clip === undefined ? {} : { clip, captureBeyondViewport: true }),
  });
  return data.length * 0.75 > LIMITS.browserPreviewBytes
    ? undefined
    : { type: "image", media_type: "image/jpeg", data };
}

function around({ x, y, width, height }: ScreenshotClip): ScreenshotClip {
  const left = Math.max(0, x - MARGIN_PX);
  const top = Math.max(0, y - MARGIN_PX);
  return {
    x: left,
    y: top,
    width: Math.min(VIEWPORT.width, width + 2 * MARGIN_PX),
    height: Math.min(VIEWPORT.height, height + 2 * MARGIN_PX),
  };
}
