import type { Locator, Page } from "playwright-core";
import type { SallyportClient } from "../../../src/client/index.ts";
import { isToolItem } from "../../../src/protocol/index.ts";

/** The panel's own conversation; Playwright looks through its shadow root. */
export const chat = (page: Page): Locator => page.locator("sallyport-panel");
export const answers = (page: Page): Locator => chat(page).getByRole("log", { name: "Conversation" });

/** The workbench with a sample open and the chat beside it. */
export async function openSample(page: Page, sample = "Study people"): Promise<void> {
  await page.getByRole("button", { name: sample }).click();
  await page.getByRole("grid").first().waitFor();
}

export async function openChat(page: Page): Promise<void> {
  // It is still open where another tab had it open; what it shows may be on its way.
  const button = page.locator('button[aria-keyshortcuts="Control+I"]');
  if ((await button.getAttribute("aria-pressed")) === "false") await button.click();
  await chat(page).getByRole("textbox").waitFor();
}

/** Sends a prompt as a person does. */
export async function ask(page: Page, prompt: string): Promise<void> {
  const input = chat(page).getByRole("textbox");
  await input.fill(prompt);
  await input.press("Enter");
}

/** A prompt that plays a script; what the page tells of itself may stand before it. */
export const play = (...steps: readonly object[]): string => `Play this.\nsim: ${JSON.stringify(steps)}`;

export const sessionOf = (page: Page): Promise<string | undefined> =>
  chat(page).evaluate((panel) => (panel as unknown as { readonly sessionId?: string }).sessionId);

/** What the page's tools answered in the chat so far. */
export async function toolAnswers(page: Page, client: SallyportClient): Promise<readonly string[]> {
  const { events } = await client.events((await sessionOf(page)) ?? "", { limit: 1_000 });
  return events.flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item) ? [JSON.stringify(event.item)] : [],
  );
}

/** A viewer by its title. */
export const viewer = (page: Page, title: string): Locator => page.getByRole("region", { name: title });
