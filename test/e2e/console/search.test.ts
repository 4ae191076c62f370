import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { begin, consoleWorld, conversation } from "./world.ts";

const SLOW = { stream: { tokens: 100_000, per_second: 200 } };
/** Rows that an address or a search leads to. */
const marked = (page: Page): Locator => conversation(page).locator(".outline-info");

describeInBrowser("finding a sentence, and the queue", () => {
  const world = consoleWorld();

  test("a word of the beginning of a long conversation, by keyboard alone, from another page", async () => {
    await world.write("small.txt", "small\n");
    const reads = { tools: Array.from({ length: 90 }, () => ({ tool: "Read", input: { file_path: "small.txt" } })) };
    const id = await begin(world, [{ say: "The heckelphone is in tune." }, reads]);
    let after = (await untilTurnEnds(world.client, id)).at(-1)?.seq ?? 0;
    for (const turn of [2, 3, 4]) {
      await world.client.prompt(id, { text: script(reads, { say: `Turn ${turn} is over.` }) });
      after = (await untilTurnEnds(world.client, id, { after })).at(-1)?.seq ?? 0;
    }
    // More than what is read before the page shows something.
    expect(after).toBeGreaterThan(700);
    const visitor = await world.visit("/usage");
    const { page } = visitor;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("heckelphone tune");
    const hit = page.getByRole("option", { name: /The heckelphone is in tune/ }).first();
    await hit.waitFor();
    await expect.poll(() => hit.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Enter");
    await marked(page).getByText("The heckelphone is in tune.", { exact: true }).waitFor();

    // Calls are folded by what they did, and open.
    const folded = conversation(page)
      .getByRole("group", { name: /^Read 1 file/ })
      .first();
    await folded.getByRole("button", { name: /^Read 1 file/ }).click();
    await folded.getByRole("group", { name: "Read: done" }).first().waitFor();

    // The results of all conversations.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("heckelphone");
    await page.getByRole("option", { name: "Search all conversations for “heckelphone”" }).click();
    await page.getByRole("list", { name: "Matches" }).getByText("The heckelphone is in tune.").first().waitFor();
    await expect.poll(() => page.locator("mark").first().innerText()).toBe("heckelphone");
    await page.getByRole("searchbox", { name: "Search all conversations" }).fill("sousaphone");
    await page.getByText("Try fewer words").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("queued prompts are edited and moved, and run as they stand then", async () => {
    const id = await begin(world, [SLOW]);
    const said = (text: string): string => `${text}\nsim: ${JSON.stringify([{ say: `Did the ${text}.` }])}`;
    for (const text of ["first one", "second one"]) await world.client.prompt(id, { text: said(text) });
    const { page } = await world.visit(`/sessions/${id}`);
    const queue = page.getByRole("region", { name: "Queued prompts" });
    await queue.getByRole("button", { name: "Move “second one” up" }).click();
    await expect.poll(() => queue.getByRole("listitem").first().innerText()).toContain("second one");
    await queue.getByRole("button", { name: "Edit “first one”" }).click();
    await queue.getByRole("textbox", { name: "Queued prompt" }).fill(said("third one"));
    await page.keyboard.press("Control+Enter");
    await queue.getByRole("button", { name: "Edit “third one”" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await conversation(page).getByText("You stopped this turn").waitFor();
    await queue.getByRole("button", { name: "Run the queue" }).click();
    await conversation(page).getByText("Did the third one.", { exact: true }).waitFor();
    const { events } = await world.client.events(id, { limit: 1_000 });
    const begun = events.flatMap((event) => (event.type === "turn.started" ? [event.prompt.text.split("\n")[0]] : []));
    expect(begun).toEqual(["Do as told.", "second one", "third one"]);
  });
});
