import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/chromium-headless-shell",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-dev-shm-usage",
];
const WAIT_MS = 120_000;

/** Pages that write down their long tasks. `onePage`: they are one page, which need not load everything again and remembers what it was shown. */
export async function openBrowser({ url, token, onePage = false }) {
  const executablePath = process.env.SALLYPORT_CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error("no Chromium was found: name it with SALLYPORT_CHROMIUM");
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  let kept;
  return {
    close: () => browser.close(),
    /** `prepare` gets the page before it goes anywhere; `url`: another server before the server. */
    open: async (path, { prepare, url: other } = {}) => {
      const page = kept ?? (await newPage(browser));
      if (onePage) kept = page;
      await prepare?.(page);
      await page.goto(`${other ?? url}${path}${path.includes("?") ? "&" : "?"}token=${token}`);
      return page;
    },
    /** This page is no longer needed. */
    leave: async (page) => {
      if (page !== kept) await page.context().close();
    },
  };
}

async function newPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  await context.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) globalThis.longTasks.push({ duration, startTime });
    }).observe({ type: "longtask", buffered: true });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

/** The longest task since `since` (ms of the page's clock), and how many there were; a task counts from 50 ms on. */
export async function longTasks(page, since = 0) {
  const tasks = await page.evaluate((from) => globalThis.longTasks.filter(({ startTime }) => startTime >= from), since);
  return { longest_ms: Math.round(Math.max(0, ...tasks.map(({ duration }) => duration))), tasks: tasks.length };
}

export const pageClock = (page) => page.evaluate(() => performance.now());

/** Turns the wheel over an element and notes how long each frame took, ms. */
export async function scrolled(page, locator, { steps, by }) {
  await locator.hover();
  await page.evaluate(() => {
    globalThis.frames_ms = [];
    let before = performance.now();
    const tick = (now) => {
      globalThis.frames_ms.push(now - before);
      before = now;
      globalThis.frame = requestAnimationFrame(tick);
    };
    globalThis.frame = requestAnimationFrame(tick);
  });
  for (let step = 0; step < steps; step += 1) await page.mouse.wheel(0, by);
  return page.evaluate(() => {
    cancelAnimationFrame(globalThis.frame);
    return globalThis.frames_ms;
  });
}
