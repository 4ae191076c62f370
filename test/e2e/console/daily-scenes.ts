import type { Locator, Page } from "playwright-core";
import { atRest } from "../../support/chromium.ts";
import type { Furniture } from "./furniture.ts";
import type { Scene } from "./scenes.ts";

const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first();
const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first();
const press = (name: string | RegExp) => (page: Page) => button(name)(page).click();
const dialog = (page: Page): Locator => page.getByRole("dialog");
const conversation = (page: Page): Locator => page.getByRole("log", { name: "Conversation" });

/** What people meet all day: choosing broader rules, many questions at once, finding things, a phone, work that runs by itself. */
export function dailyScenes(furniture: Furniture): readonly Scene[] {
  return [...decisionScenes(furniture), ...sessionScenes(furniture), ...shareScenes(furniture), ...serverScenes()];
}

function decisionScenes({ sessions }: Furniture): readonly Scene[] {
  const open = (id: string): string => `/sessions/${id}`;
  return [
    {
      name: "daily-ladder",
      path: open(sessions.write),
      arrange: press("Choose what to allow for this session"),
      seen: (page) => page.getByRole("radio").first(),
    },
    {
      name: "daily-batch",
      path: "/approvals",
      arrange: (page) =>
        page
          .getByRole("link", { name: /^Review \d+ together/ })
          .first()
          .click(),
      seen: button(/^Approve \d+/),
    },
    {
      name: "daily-mode",
      path: open(sessions.done),
      arrange: async (page) => void (await page.getByLabel("Mode", { exact: true }).selectOption({ index: 0 })),
      seen: (page) => page.getByLabel("Mode", { exact: true }),
    },
  ];
}

function sessionScenes({ sessions }: Furniture): readonly Scene[] {
  const open = (id: string): string => `/sessions/${id}`;
  const ended = async (page: Page): Promise<void> => await text("Turn ended")(page).waitFor();
  return [
    {
      name: "daily-palette",
      path: open(sessions.done),
      arrange: async (page) => {
        await ended(page);
        await atRest(page);
        await page.keyboard.press("Control+k");
      },
      seen: (page) => page.getByRole("option").first(),
    },
    {
      name: "daily-palette-search",
      path: open(sessions.done),
      arrange: async (page) => {
        await ended(page);
        await atRest(page);
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox").fill("retry");
      },
      seen: (page) => page.getByRole("option", { name: /retry/i }).first(),
    },
    {
      name: "daily-find",
      path: open(sessions.done),
      arrange: async (page) => {
        await ended(page);
        await atRest(page);
        await conversation(page).focus();
        await page.keyboard.press("Control+f");
        await page.getByRole("search", { name: "Find in conversation" }).getByRole("searchbox").fill("retry");
      },
      seen: text(/^\d+ of \d+$/),
    },
    {
      name: "daily-queue",
      path: open(sessions.streaming),
      arrange: async (page) => {
        const queue = page.getByRole("region", { name: "Queued prompts" });
        // It is folded where the window is narrow.
        await queue.locator("details").evaluate((details) => details.setAttribute("open", ""));
        await queue
          .getByRole("button", { name: /^Edit “/ })
          .first()
          .click();
      },
      seen: (page) => page.getByRole("textbox", { name: "Queued prompt" }),
    },
    { name: "daily-files", path: `${open(sessions.done)}/files`, seen: text("retry.ts") },
    { name: "daily-file", path: `${open(sessions.done)}/files?path=src%2Fretry.ts`, seen: text("fetchWithRetry") },
    {
      name: "daily-compare",
      path: `${open(sessions.fork)}/compare`,
      seen: (page) => page.getByRole("heading", { level: 1 }),
    },
    {
      name: "daily-terminal",
      path: `${open(sessions.done)}/terminal`,
      seen: (page) => page.getByRole("group", { name: "Terminal" }),
    },
    {
      name: "daily-changes",
      path: `${open(sessions.done)}/changes`,
      seen: (page) => page.getByRole("heading", { level: 1 }),
    },
  ];
}

function shareScenes({ sessions }: Furniture): readonly Scene[] {
  const more = (item: string) => async (page: Page) => {
    await conversation(page).waitFor();
    await page.locator("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  return [
    { name: "daily-export", path: `/sessions/${sessions.done}`, arrange: more("Export …"), seen: dialog },
    { name: "daily-share", path: `/sessions/${sessions.done}`, arrange: more("Share …"), seen: dialog },
  ];
}

function serverScenes(): readonly Scene[] {
  const menu = (item: string) => async (page: Page) => {
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page
      .getByRole("button", { name: /More|admin/ })
      .last()
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  return [
    {
      name: "daily-key",
      path: "/providers",
      arrange: (page) => page.getByRole("heading", { name: "Add a key" }).scrollIntoViewIfNeeded(),
      seen: (page) => page.getByRole("heading", { name: "Add a key" }),
    },
    { name: "daily-notifications", path: "/sessions", arrange: menu("Notifications"), seen: button(/^Add ntfy/) },
    {
      name: "daily-phone",
      only: "desktop",
      path: "/sessions",
      arrange: async (page) => {
        await menu("Connect a phone")(page);
        await press("Show the code")(page);
      },
      seen: (page) => page.getByRole("img", { name: "Code for your phone’s camera" }),
    },
    { name: "daily-long-runs", path: "/long-runs", seen: (page) => page.getByRole("heading", { level: 1 }) },
    { name: "daily-schedules", path: "/schedules", seen: (page) => page.getByRole("heading", { level: 1 }) },
    { name: "daily-webhooks", path: "/webhooks", seen: (page) => page.getByRole("heading", { level: 1 }) },
    { name: "daily-tunnels", path: "/tunnels", seen: (page) => page.getByRole("heading", { level: 1 }) },
    { name: "daily-mcp-logins", path: "/mcp-logins", seen: (page) => page.getByRole("heading", { level: 1 }) },
    {
      name: "daily-away",
      path: "/nothing-here",
      seen: (page) => page.getByRole("heading", { level: 1 }),
    },
  ];
}
