import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import type { Visitor } from "../../support/browser.ts";
import { PAYLOADS } from "./payloads.ts";

/** Everything that an attack would leave behind in a page, by name; empty when there was none. Shadow roots are looked into. */
async function traces(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if ("__xss" in globalThis) found.push("a script ran");
    const look = (root: Document | ShadowRoot): void => {
      for (const element of root.querySelectorAll("*")) {
        const name = element.localName;
        const inside = root instanceof ShadowRoot || element.closest("#root") !== null;
        if (inside && ["script", "iframe", "object", "embed", "base", "meta", "link", "style"].includes(name))
          found.push(`<${name}>`);
        for (const { name: attribute, value } of element.attributes) {
          if (attribute.startsWith("on")) found.push(`${name} ${attribute}`);
          if (
            ["href", "src", "action", "xlink:href", "formaction"].includes(attribute) &&
            /^\s*(javascript|data:text|vbscript)/i.test(value)
          )
            found.push(`${name} ${attribute}=${value}`);
        }
        if (element.shadowRoot !== null) look(element.shadowRoot);
      }
    };
    look(document);
    return found;
  });
}

/** Writes down dialogs, and requests to anywhere but these places. */
export function listen(context: BrowserContext, places: readonly string[]): string[] {
  const told: string[] = [];
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && !places.includes(origin)) told.push(`request: ${request.url()}`);
  });
  context.on("dialog", (dialog) => {
    told.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return told;
}

export async function checkPage(visitor: Visitor, told: readonly string[]): Promise<void> {
  expect({ traces: await traces(visitor.page), told, troubles: visitor.troubles }).toEqual({
    traces: [],
    told: [],
    troubles: [],
  });
}

/** The marks that a text lacks. */
export const missing = (text: string | null): readonly string[] =>
  PAYLOADS.map((_, index) => `mark${String(index)}`).filter((mark) => !new RegExp(`${mark}\\b`).test(text ?? ""));
