import type { Locator, Page } from "playwright-core";

/** The panel's own conversation; Playwright looks through its shadow root. */
export const chat = (page: Page): Locator => page.locator("sallyport-panel");
export const answers = (page: Page): Locator => chat(page).getByRole("log", { name: "Conversation" });

/** The workbench with a sample open and the chat beside it. */
export async function openSample(page: Page, sample = "Study people"): Promise<void> {
  await page.getByRole("button", { name: sample }).click();
  await page.getByRole("grid").first().waitFor();
}

export async function openChat(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Ask Claude" }).first().click();
  await chat(page).getByRole("textbox").waitFor();
}

/** Sends a prompt as a person does. */
export async function ask(page: Page, prompt: string): Promise<void> {
  const input = chat(page).getByRole("textbox");
  await input.fill(prompt);
  await input.press("Enter");
}

/** A viewer by its title. */
export const viewer = (page: Page, title: string): Locator => page.getByRole("region", { name: title });
