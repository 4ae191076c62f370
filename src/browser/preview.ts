import type { ElementHandle, Page, ScreenshotClip } from "puppeteer-core";
import { LIMITS, type ImageBlock, type PagePreview } from "../protocol/index.ts";
import { genericPreview, type ToolPreview } from "../tools/index.ts";
import { findElement, pageAddress, seenElement, withElement } from "./elements.ts";
import { VIEWPORT, withinTime } from "./running.ts";
import type { SessionBrowser } from "./session-browser.ts";
import type { PageMark } from "./shown.ts";

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
  const looked = await withinTime(look(page, request), LIMITS.browserGraceMs, "").catch(() => undefined);
  // What came too late was not shown.
  if (looked === undefined) return { preview: { ...preview, page: { url: pageAddress(page.url()) } }, warnings };
  browser.shown.remember(request.call, looked.mark);
  return { preview: { ...preview, page: looked.seen }, warnings };
}

interface Looked {
  readonly seen: PagePreview;
  readonly mark: PageMark;
}

async function look(page: Page, { selector }: PreviewRequest): Promise<Looked> {
  const url = pageAddress(page.url());
  const handle = selector === undefined ? undefined : await findElement(page, selector);
  return handle === undefined ? lookAt(page, url) : withElement(handle, (element) => lookAt(page, url, element));
}

async function lookAt(page: Page, url: string, element?: ElementHandle): Promise<Looked> {
  const seen = element === undefined ? undefined : await seenElement(element);
  const title = (await page.title()).slice(0, LIMITS.browserTitleChars);
  const picture = await pictureOf(page, element).catch(() => undefined);
  return {
    seen: {
      url,
      title,
      ...(seen === undefined ? {} : { element: seen.html }),
      ...(picture === undefined ? {} : { picture }),
    },
    mark: { url, element: seen?.mark },
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
