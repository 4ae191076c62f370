import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { inspectPart } from "./inspection.ts";
import { begin, consoleWorld } from "./world.ts";

/** Ends with what a right-to-left sentence would move to the other side. */
const COMMAND = "touch a.txt && ls -la (b)/.!";
const NARROW = 390;

interface Expected {
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  readonly title: string;
  readonly approve: string;
  readonly runs: string;
  readonly sessions: string;
}

const LANGUAGES: readonly Expected[] = [
  {
    locale: "de-AT",
    direction: "ltr",
    title: "Tool-Freigabe nötig",
    approve: "Einmal freigeben",
    runs: "führt einen Befehl aus",
    sessions: "Sitzungen",
  },
  {
    locale: "ar-EG",
    direction: "rtl",
    title: "الموافقة على أداة مطلوبة",
    approve: "الموافقة مرة واحدة",
    runs: "ينفّذ أمرًا",
    sessions: "الجلسات",
  },
];

/** Where the first and the last character of an element's text are painted. */
const ends = (place: Locator): Promise<readonly [number, number]> =>
  place.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    const at = (text: Text | undefined, index: number): number => {
      const range = document.createRange();
      if (text === undefined) return Number.NaN;
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect().left;
    };
    const last = texts.at(-1);
    return [at(texts[0], 0), at(last, (last?.length ?? 1) - 1)] as const;
  });

describeInBrowser("in other languages", () => {
  const world = consoleWorld();

  test.each(LANGUAGES)("a question on a phone, $locale", async ({ locale, direction, title, approve, runs }) => {
    const id = await begin(world, [{ tool: "Bash", input: { command: COMMAND } }, { say: "Done." }]);
    const visitor = await world.visit(`/sessions/${id}`, { locale, viewport: { width: NARROW, height: 844 } });
    const { page } = visitor;
    await page.getByRole("heading", { name: title }).waitFor();
    const root = page.locator("html");
    expect([await root.getAttribute("lang"), await root.getAttribute("dir")]).toEqual([locale.slice(0, 2), direction]);
    await page.getByRole("button", { name: approve }).waitFor();
    await page.getByText(runs).first().waitFor();
    const shown = page.locator("pre").filter({ hasText: COMMAND }).last();
    await shown.waitFor();
    const [first, last] = await ends(shown);
    expect(last).toBeGreaterThan(first);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW);
    expect(await inspectPart(page, "body")).toEqual([]);
    await page.getByRole("button", { name: approve }).click();
    await page.getByText("Done.", { exact: true }).first().waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a command that begins in Arabic, its programs and its warnings keep their order in Arabic", async () => {
    const command = `"./سجل" && rm -rf ./build`;
    const id = await begin(world, [{ tool: "Bash", input: { command } }, { say: "Done." }]);
    const visitor = await world.visit(`/sessions/${id}`, { locale: "ar-EG" });
    const { page } = visitor;
    const whole = page.locator("pre").filter({ hasText: command }).last();
    const program = page.locator("li").getByText("/usr/bin/rm", { exact: true });
    const warning = page.getByRole("list", { name: "تحذيرات" }).getByText(/^Deletes files: rm -rf/);
    for (const shown of [whole, program, warning]) {
      await shown.waitFor();
      const [first, last] = await ends(shown);
      expect(last).toBeGreaterThan(first);
    }
    expect(visitor.troubles).toEqual([]);
  });

  test("an English table and a formula keep their order in Arabic", async () => {
    const say = "So $a = b + c$ holds.\n\n| before | now |\n| --- | --- |\n| one | two, 2 s |";
    const id = await begin(world, [{ say }]);
    const { page } = await world.visit(`/sessions/${id}`, { locale: "ar-EG" });
    const left = async (place: Locator): Promise<number> => (await place.boundingBox())?.x ?? Number.NaN;
    const before = page.getByRole("columnheader", { name: "before" });
    await before.waitFor();
    expect(await left(before)).toBeLessThan(await left(page.getByRole("columnheader", { name: "now" })));
    const formula = page.locator(".katex-html");
    const sign = (text: string): Promise<number> => left(formula.getByText(text, { exact: true }));
    expect(await sign("a")).toBeLessThan(await sign("b"));
    expect(await sign("b")).toBeLessThan(await sign("c"));
  });

  test("one is chosen in the menu and kept in the browser", async () => {
    const visitor = await world.visit("/sessions", { locale: "fr-FR" });
    const { page } = visitor;
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    for (const { sessions, locale } of LANGUAGES) {
      await page.getByRole("button", { name: /admin/ }).click();
      await page.locator(`[role=menuitemradio][lang=${locale.slice(0, 2)}]`).click();
      await page.getByRole("heading", { name: sessions }).waitFor();
    }
    await page.goto(`${world.app.serving.url}/usage`);
    await page.getByRole("heading", { name: "الاستخدام" }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });
});
