import type { ElementHandle, Page } from "puppeteer-core";
import { z } from "zod";
import { LIMITS, type ImageBlock } from "../../protocol/index.ts";
import { errorResult, genericPreview, type Tool } from "../../tools/index.ts";
import { findElement, withElement } from "../elements.ts";
import { VIEWPORT } from "../running.ts";
import type { SessionBrowser } from "../session-browser.ts";
import { named } from "./names.ts";

const edge = z.number().int().min(1).max(LIMITS.browserPictureEdge);
const ScreenshotInput = z.strictObject({
  name: z.string().max(LIMITS.browserNameChars).describe("Name for the screenshot"),
  selector: z.string().max(LIMITS.browserSelectorChars).optional().describe("CSS selector for element to screenshot"),
  width: edge.default(VIEWPORT.width).describe("Width in pixels (default: 800)"),
  height: edge.default(VIEWPORT.height).describe("Height in pixels (default: 600)"),
  fullPage: z.boolean().default(false).describe("The whole page, not only what fits into the height"),
});
type ScreenshotInput = z.infer<typeof ScreenshotInput>;

/** For a picture that is too large as PNG, one after the other. */
const QUALITIES = [80, 40] as const;

export function screenshot(browser: SessionBrowser): Tool<ScreenshotInput> {
  return {
    ...named("mcp__puppeteer__puppeteer_screenshot"),
    description: "Take a screenshot of the current page or a specific element",
    input: ScreenshotInput,
    paths: () => [],
    preview: async (input) => genericPreview(input),
    execute: ({ name, selector, width, height, fullPage }, context) =>
      browser.use({
        signal: context.signal,
        failed: (reason) => errorResult(`Screenshot failed: ${reason}`),
        work: async (page) => {
          await page.setViewport({ width, height });
          const element = selector === undefined ? undefined : await findElement(page, selector);
          if (selector !== undefined && element === undefined) return errorResult(`Element not found: ${selector}`);
          const picture =
            element === undefined
              ? await take(page, undefined, fullPage)
              : await withElement(element, (found) => take(page, found, fullPage));
          if (typeof picture === "string") return errorResult(`Screenshot failed: ${picture}`);
          const text = `Screenshot '${name}' taken at ${width}x${height}`;
          return { content: [{ type: "text", text }, picture], is_error: false };
        },
      }),
  };
}

/** A text: why there is none. */
async function take(page: Page, element: ElementHandle | undefined, fullPage: boolean): Promise<ImageBlock | string> {
  const pixels = await pixelsOf(page, element, fullPage);
  if (pixels > LIMITS.browserPicturePixels)
    return `it would have ${pixels} pixels, at most ${LIMITS.browserPicturePixels} are taken; choose an element`;
  const shot = (options: { readonly type: "png" } | { readonly type: "jpeg"; readonly quality: number }) =>
    element === undefined
      ? page.screenshot({ ...options, encoding: "base64", fullPage })
      : element.screenshot({ ...options, encoding: "base64" });
  const png = await shot({ type: "png" });
  if (fits(png)) return { type: "image", media_type: "image/png", data: png };
  for (const quality of QUALITIES) {
    const data = await shot({ type: "jpeg", quality });
    if (fits(data)) return { type: "image", media_type: "image/jpeg", data };
  }
  return `the picture has more than ${LIMITS.imageBytes} bytes; choose a smaller one, or an element`;
}

function fits(base64: string): boolean {
  return Math.floor((base64.length * 3) / 4) <= LIMITS.imageBytes;
}

async function pixelsOf(page: Page, element: ElementHandle | undefined, fullPage: boolean): Promise<number> {
  const box = await element?.boundingBox();
  if (box !== undefined) return box === null ? 0 : Math.ceil(box.width * box.height);
  if (!fullPage) return 0;
  const size: unknown = await page.evaluate(
    "document.documentElement.scrollWidth * document.documentElement.scrollHeight",
  );
  return typeof size === "number" ? size : Number.POSITIVE_INFINITY;
}
