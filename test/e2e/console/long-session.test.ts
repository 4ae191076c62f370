import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { begin, consoleWorld, conversation } from "./world.ts";

const TURNS = 5;
const STEPS = 4;
const TOOLS = 100;

describeInBrowser("a session of 2,000 items", () => {
  const world = consoleWorld();

  test("opens at its end, scrolls to its beginning, and keeps few rows in the page", { timeout: 180_000 }, async () => {
    await world.write("small.txt", "small\n");
    const read = { tool: "Read", input: { file_path: "small.txt" } };
    const steps = Array.from({ length: STEPS }, () => ({ tools: Array.from({ length: TOOLS }, () => read) }));
    const id = await begin(world, [...steps, { say: "Turn 1 is over." }]);
    let after = (await untilTurnEnds(world.client, id)).at(-1)?.seq ?? 0;
    for (let turn = 2; turn <= TURNS; turn += 1) {
      const text = `Again.\nsim: ${JSON.stringify([...steps, { say: `Turn ${turn} is over.` }])}`;
      await world.client.prompt(id, { text });
      after = (await untilTurnEnds(world.client, id, { after })).at(-1)?.seq ?? 0;
    }
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await conversation(page).getByText(`Turn ${TURNS} is over.`, { exact: true }).waitFor();
    const rows = conversation(page).locator("[data-seq]");
    await expect.poll(() => rows.count()).toBeLessThan(100);
    // Older messages still arrive: they neither take the reader back to the end nor anywhere else.
    await conversation(page).evaluate((log) => log.scrollTo(0, 0));
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    await conversation(page).getByText("Reading earlier messages…").waitFor({ state: "detached" });
    await conversation(page).evaluate((log) => log.scrollTo(0, 0));
    await conversation(page).locator('[data-index="0"]').waitFor();
    await expect.poll(() => rows.count()).toBeLessThan(100);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await conversation(page).getByText(`Turn ${TURNS} is over.`, { exact: true }).waitFor();
    // An event in the middle by its link.
    await page.goto(`${world.app.serving.url}/sessions/${id}#seq-2000`);
    await page.reload();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("[data-seq]")].some(
        (row) => Math.abs(Number(row.getAttribute("data-seq")) - 2_000) < 500,
      ),
    );
    expect(visitor.troubles).toEqual([]);
  });
});
