import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { SallyportClient } from "../../../src/client/index.ts";
import { Visitor } from "../../support/browser.ts";
import { isFullRun, sample } from "../../support/sample.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { furnish, type Furniture } from "./furniture.ts";
import type { Scene } from "./scenes.ts";
import type { ConsoleWorld } from "./world.ts";

const checker = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 375, height: 812 };
const SCHEMES = ["light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];
const BAD = new Set(["serious", "critical"]);
/** A sample is one scene of so many. */
const ONE_OF = 5;

export function furnishWorld({ app, client }: ConsoleWorld): Promise<Furniture> {
  return furnish({ client, ...app.place, as: (token) => new SallyportClient({ url: app.serving.url, token }) });
}

/**
 * Goes to every scene (of a sample), wide and narrow, light or dark, and tells what is wrong there: what axe finds serious, a page that
 * scrolls sideways on a phone, a script that broke, something that the security policy had to stop.
 */
export async function inspect(
  world: ConsoleWorld,
  scenes: readonly Scene[],
  tokens: Furniture["tokens"] | undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  const visitors = new Map<string, Visitor>();
  for (const [index, scene] of sample(scenes, Math.ceil(scenes.length / ONE_OF)).entries()) {
    const who = scene.as ?? "admin";
    const token = who === "admin" ? TEST_TOKEN : who === "nobody" ? undefined : tokens?.[who];
    // One for all scenes of a person: what was loaded before is in the browser's cache.
    const visitor = visitors.get(who) ?? (await Visitor.arrive(world.browser));
    visitors.set(who, visitor);
    const page = await visitor.newPage();
    const say = (words: readonly string[]): void => void found.push(...words.map((one) => `${scene.name}: ${one}`));
    try {
      await enter(page, world.app.serving.url, scene, token);
      say(await looks(page, scene, index));
    } catch (error) {
      say([String(error)]);
    }
    await page.close();
    await restore(visitor.context);
    say(visitor.takeTroubles());
  }
  await Promise.all([...visitors.values()].map((visitor) => visitor.close()));
  return found;
}

async function enter(page: Page, url: string, scene: Scene, token: string | undefined): Promise<void> {
  await page.setViewportSize(scene.only === "phone" ? PHONE : DESKTOP);
  const mark = scene.path.includes("?") ? "&" : "?";
  await page.goto(`${url}${scene.path}${token === undefined ? "" : `${mark}token=${token}`}`);
  await scene.arrange?.(page);
  await scene.seen(page).waitFor();
}

/** A scene may have cut the connection. */
async function restore(context: BrowserContext): Promise<void> {
  await context.setOffline(false);
}

/** What axe finds serious in a part of a page (a CSS selector), light and dark. */
export async function inspectPart(page: Page, part: string): Promise<readonly string[]> {
  await page.evaluate(await checker);
  return inSchemes(page, SCHEMES, part);
}

async function inSchemes(page: Page, schemes: readonly Scheme[], part?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.waitForFunction((theme) => document.documentElement.dataset["theme"] === theme, colorScheme, {
      polling: 50,
    });
    // Another colour scheme changes nothing but colours.
    const findings = await runAxe(page, { part, rules: index > 0 ? ["color-contrast"] : undefined });
    found.push(...findings.map((one) => `${colorScheme}: ${one}`));
  }
  return found;
}

async function looks(page: Page, scene: Scene, index: number): Promise<readonly string[]> {
  // The page's security policy lets nobody add a script: this way it needs no element.
  await page.evaluate(await checker);
  const found: string[] = [];
  // A sample is by turns wide in light and narrow in dark; a full run is both sizes in both colour schemes.
  const sampled = scene.only ?? (index % 2 === 0 ? "desktop" : "phone");
  for (const [width, size] of [
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const) {
    if ((scene.only ?? width) !== width) continue;
    await page.setViewportSize(size);
    const schemes = isFullRun ? SCHEMES : [width === "desktop" ? ("light" as const) : ("dark" as const)];
    if (isFullRun || width === sampled)
      found.push(...(await inSchemes(page, schemes)).map((one) => `${width}, ${one}`));
    if (width === "phone") found.push(...(await sideways(page)));
  }
  return found;
}

/** `rules`: absent means all. `part`: absent means the whole page. */
async function runAxe(
  page: Page,
  asked: { readonly rules: readonly string[] | undefined; readonly part: string | undefined },
): Promise<readonly string[]> {
  const { violations } = await page.evaluate(({ rules, part }) => {
    const { axe: run } = globalThis as unknown as { readonly axe: typeof axe };
    return run.run(part ?? document, {
      resultTypes: ["violations"],
      ...(rules === undefined ? {} : { runOnly: [...rules] }),
    });
  }, asked);
  return violations
    .filter(({ impact }) => BAD.has(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")} ${failureSummary ?? ""}`),
    );
}

/** A chart draws itself anew a moment after the page became narrow: what counts is where the page comes to rest. */
async function sideways(page: Page): Promise<readonly string[]> {
  const fits = await page
    .waitForFunction((most) => document.documentElement.scrollWidth <= most, PHONE.width)
    .then(
      () => true,
      () => false,
    );
  if (fits) return [];
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  return [`phone: the page is ${String(width)} px wide`];
}
