import type { Page } from "puppeteer-core";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";
import {
  errorResult,
  genericPreview,
  textResult,
  type AnyTool,
  type Tool,
  type ToolContext,
} from "../../tools/index.ts";
import { awaitElement, findElement, isOwnPage, missing, pageMark, withElement } from "../elements.ts";
import { clickOn, focusOn } from "../pointing.ts";
import { previewOnPage } from "../preview.ts";
import type { SessionBrowser } from "../session-browser.ts";
import { named } from "./names.ts";

const selector = z.string().min(1).max(LIMITS.browserSelectorChars);
const value = z.string().max(LIMITS.browserValueChars);
const ClickInput = z.strictObject({ selector: selector.describe("CSS selector for element to click") });
const HoverInput = z.strictObject({ selector: selector.describe("CSS selector for element to hover") });
const FillInput = z.strictObject({
  selector: selector.describe("CSS selector for input field"),
  value: value.describe("Value to fill"),
});
const SelectInput = z.strictObject({
  selector: selector.describe("CSS selector for element to select"),
  value: value.describe("Value to select"),
});

interface Acted {
  readonly selector: string;
}

/** What a person saw, or a rule about the session's own pages, must still hold when the call runs. Undefined: it does. */
export async function changedSince(
  browser: SessionBrowser,
  page: Page,
  {
    call,
    selector: named,
    context,
  }: { readonly call: string; readonly selector?: string; readonly context: ToolContext },
): Promise<string | undefined> {
  const { permission } = context;
  if (permission?.onlyReads === true && !isOwnPage(page, ownLoopbackOf(browser)))
    return "The page is not the session's own any more, so nothing was done.";
  if (permission?.approved === undefined) return undefined;
  return browser.shown.isSame(call, await pageMark(page, named))
    ? undefined
    : "The page has changed since it was shown, so nothing was done.";
}

function ownLoopbackOf({ means }: SessionBrowser): { readonly ownLoopback: boolean } {
  return { ownLoopback: means.sandbox.kind !== "local" && means.sandbox.kind !== "seatbelt" };
}

/** Proven for the gate: the call acts on nothing but a page from inside of the session's own sandbox. */
export async function ownPage(browser: SessionBrowser): ReturnType<NonNullable<AnyTool["onlyReads"]>> {
  const { page } = browser;
  if (page === undefined || !isOwnPage(page, ownLoopbackOf(browser))) return undefined;
  return { programs: [page.url()], open: false, git: false };
}

interface BrowserAction<Input extends Acted> extends Pick<
  Tool<Input>,
  "name" | "tier" | "yields" | "description" | "input"
> {
  readonly verb: string;
  readonly act: (page: Page, input: Input) => Promise<string>;
}

function action<Input extends Acted>(
  browser: SessionBrowser,
  { verb, act, ...facts }: BrowserAction<Input>,
): Tool<Input> {
  const callOf = (input: Input): string => `${facts.name} ${input.selector}`;
  return {
    ...facts,
    paths: () => [],
    onlyReads: () => ownPage(browser),
    preview: (input) => previewOnPage(browser, { call: callOf(input), input, selector: input.selector }),
    execute: (input, context) =>
      browser.use({
        signal: context.signal,
        failed: (reason) => errorResult(`Failed to ${verb} ${input.selector}: ${reason}`),
        work: async (page) => {
          const changed = await changedSince(browser, page, { call: callOf(input), selector: input.selector, context });
          if (changed !== undefined) return errorResult(changed, { changed: true });
          return textResult(await act(page, input));
        },
      }),
  };
}

export function hover(browser: SessionBrowser): Tool<z.infer<typeof HoverInput>> {
  return {
    ...action(browser, {
      ...named("mcp__puppeteer__puppeteer_hover"),
      description: "Hover an element on the page",
      input: HoverInput,
      verb: "hover",
      act: async (page, input) => {
        await withElement(await awaitElement(page, input.selector), (element) => element.hover());
        return `Hovered ${input.selector}`;
      },
    }),
    preview: async (input) => genericPreview(input),
  };
}

export function click(browser: SessionBrowser): Tool<z.infer<typeof ClickInput>> {
  return action(browser, {
    ...named("mcp__puppeteer__puppeteer_click"),
    description: "Click an element on the page",
    input: ClickInput,
    verb: "click",
    act: async (page, input) => {
      const element = await findElement(page, input.selector);
      if (element === undefined) throw missing(input.selector);
      await withElement(element, (found) => clickOn(page, found));
      return `Clicked: ${input.selector}`;
    },
  });
}

export function fill(browser: SessionBrowser): Tool<z.infer<typeof FillInput>> {
  return action(browser, {
    ...named("mcp__puppeteer__puppeteer_fill"),
    description: "Fill out an input field. Types the value behind what the field holds already.",
    input: FillInput,
    verb: "fill",
    act: async (page, input) => {
      await withElement(await awaitElement(page, input.selector), focusOn);
      await page.keyboard.type(input.value);
      return `Filled ${input.selector} with: ${input.value}`;
    },
  });
}

export function select(browser: SessionBrowser): Tool<z.infer<typeof SelectInput>> {
  return action(browser, {
    ...named("mcp__puppeteer__puppeteer_select"),
    description: "Select an element on the page with Select tag",
    input: SelectInput,
    verb: "select",
    act: async (page, input) => {
      const element = await awaitElement(page, input.selector);
      const chosen = await withElement(element, (found) => found.select(input.value));
      const text = `Selected ${input.selector} with: ${input.value}`;
      return chosen.includes(input.value) ? text : `${text}\nNo option has this value: nothing is selected now.`;
    },
  });
}
