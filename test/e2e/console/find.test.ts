import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { begin, consoleWorld, conversation } from "./world.ts";

describeInBrowser("finding text in a conversation", () => {
  const world = consoleWorld();

  test("Ctrl+F finds rows that are not in the page, steps through them, and Esc goes back", async () => {
    await world.write("notes.txt", "one line\nthe zanzibar harbour\n");
    // Calls that went well would be one row.
    const first = { tool: "Read", input: { file_path: "missing.txt" } };
    const id = await begin(world, [
      { tools: [{ tool: "Read", input: { file_path: "notes.txt" } }] },
      { say: "The Xylophone stands upstairs." },
    ]);
    const after = (await untilTurnEnds(world.client, id)).at(-1)?.seq ?? 0;
    const text = script({ tools: Array.from({ length: 60 }, () => first) }, { say: "No xylophone anywhere else." });
    await world.client.prompt(id, { text });
    await untilTurnEnds(world.client, id, { after });
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    const log = conversation(page);
    await log.getByText("No xylophone anywhere else.", { exact: true }).waitFor();
    await expect.poll(() => log.getByText("The Xylophone stands upstairs.", { exact: true }).count()).toBe(0);

    await log.focus();
    await page.keyboard.press("Control+f");
    const bar = page.getByRole("search", { name: "Find in conversation" });
    const field = bar.getByRole("searchbox");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await field.fill("xyloPHONE");
    await bar.getByText("1 of 4").waitFor();
    // The prompts hold the scripts, so they are found too.
    await page.keyboard.press("Enter");
    await bar.getByText("2 of 4").waitFor();
    await log.getByText("The Xylophone stands upstairs.", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => CSS.highlights.get("found")?.size ?? 0)).toBeGreaterThan(0);
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Shift+Enter");
    await bar.getByText("4 of 4").waitFor();
    await log.getByText("No xylophone anywhere else.", { exact: true }).waitFor();

    // The output of a folded card: it opens.
    await field.fill("zanzibar");
    await bar.getByText("1 of 1").waitFor();
    await log.getByText("the zanzibar harbour").waitFor();
    await field.fill("nowhere to be found");
    await bar.getByText("No matches").waitFor();

    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "detached" });
    await expect.poll(() => log.evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => page.evaluate(() => CSS.highlights.has("found"))).toBe(false);
    expect(visitor.troubles).toEqual([]);
  });

  test("on a phone it is in the menu", async () => {
    const id = await begin(world, [{ say: "A small quokka." }]);
    await untilTurnEnds(world.client, id);
    const { page } = await world.visit(`/sessions/${id}`, { viewport: { width: 390, height: 844 } });
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("menuitem", { name: "Find in conversation" }).click();
    const bar = page.getByRole("search", { name: "Find in conversation" });
    await bar.getByRole("searchbox").fill("quokka");
    await bar.getByText("1 of 2").waitFor();
    await bar.getByRole("button", { name: "Next match" }).click();
    await bar.getByText("2 of 2").waitFor();
  });
});
