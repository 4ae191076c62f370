import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { answers, ask, chat, openChat, openSample, viewer } from "./world.ts";

const ADDED = /Added viewer with ID: viewer-[a-z0-9]{6}-[a-z0-9]{6}-[a-z0-9]{6}/;

describeInBrowser("an agent in the workbench", () => {
  const world = consoleWorld();

  test.each([
    { engine: "", of: "the server's choice" },
    { engine: "claude-sdk", of: "Claude Code through its SDK" },
  ])("adds a chart when it is asked to, with $of", { timeout: 120_000 }, async ({ engine }) => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await openChat(page);
    if (engine !== "") await page.getByLabel("Next chat with").selectOption(engine);
    await ask(page, "add a histogram for the Age column");
    await answers(page).getByText(ADDED).waitFor({ timeout: 60_000 });
    // The steps in words, the picture, and the answer that names it.
    await answers(page).getByText("Getting available properties for Histogram viewer").first().waitFor();
    await answers(page).getByText("Adding Histogram viewer").first().waitFor();
    await answers(page).getByText("The Histogram for Age is there now.").waitFor();
    await viewer(page, "Histogram of AGE").getByRole("img").first().waitFor();
    const [id] = /viewer-[a-z0-9-]{20}/.exec((await answers(page).textContent()) ?? "") ?? [];
    await ask(page, "which viewers are open?");
    await answers(page).getByText(`ID: ${id}, Type: Histogram`).waitFor({ timeout: 60_000 });
    // Whatever an agent did can be taken back.
    await ask(page, "undo");
    await answers(page).getByText("Took back: Added Histogram").waitFor({ timeout: 60_000 });
    await viewer(page, "Histogram of AGE").waitFor({ state: "detached" });
    expect(visitor.troubles).toEqual([]);
  });

  test(
    "makes columns, filters, runs scripts and exports; a wrong wish changes nothing",
    { timeout: 90_000 },
    async () => {
      const visitor = await world.visit("/workbench");
      const { page } = visitor;
      await openSample(page);
      await openChat(page);
      await ask(page, "add a column BMI = WEIGHT / (HEIGHT / 100) ^ 2");
      await answers(page).getByText("Added column BMI (double) to demog").waitFor();
      await ask(page, "filter to AGE > 1000");
      await answers(page).getByText("0 of 5850 rows are shown.").waitFor();
      await ask(page, "filter to nonsense > 1");
      await answers(page)
        .getByText(/apply_filter did not work/)
        .waitFor();
      await ask(
        page,
        'sim: [{"tool":"mcp__workbench__apply_filter","input":{"expression":""}},{"tool":"mcp__workbench__run_script","input":{"script":"print(table.columnNames.at(-1)); output.addColumn(\'OLD\', table.get(\'AGE\').map((age) => age > 60)); return table.filtered.length;"}},{"say":"Script done."}]',
      );
      await answers(page).getByText("Script done.", { exact: true }).waitFor();
      await page.getByRole("columnheader", { name: "OLD" }).waitFor({ state: "attached" });
      const saved = page.waitForEvent("download");
      await ask(page, "export it to CSV");
      expect((await saved).suggestedFilename()).toBe("demog.csv");
      await answers(page).getByText("Exported 5850 rows to demog.csv.").waitFor();
      // A script reaches nothing but its copy of the table.
      await ask(
        page,
        "sim: [{\"tool\":\"mcp__workbench__run_script\",\"input\":{\"script\":\"const tries = { fetch: () => fetch('/api/me'), socket: () => new WebSocket('ws://127.0.0.1:1/'), storage: () => indexedDB.open('x'), eval: () => eval('1'), scripts: () => importScripts('/assets/before-1.js') }; const out = {}; for (const [name, attempt] of Object.entries(tries)) { try { await attempt(); out[name] = 'reached'; } catch (error) { out[name] = 'refused'; } } return out;\"}},{\"say\":\"Tried.\"}]",
      );
      await answers(page).getByText("Tried.", { exact: true }).waitFor();
      const told = await lastResult(page.url());
      expect(told).toContain(
        '{"fetch":"refused","socket":"refused","storage":"refused","eval":"refused","scripts":"refused"}',
      );
      expect(visitor.takeTroubles().filter((trouble) => !trouble.startsWith("console: "))).toEqual([]);

      async function lastResult(_page: string): Promise<string> {
        const id = await chat(page).evaluate((panel) => (panel as unknown as { sessionId: string }).sessionId);
        const { events } = await world.client.events(id, { limit: 1_000 });
        const tools = events.flatMap((event) =>
          event.type === "item.completed" && event.item.type === "mcp_tool_call" ? [JSON.stringify(event.item)] : [],
        );
        return (tools.at(-1) ?? "").replaceAll('\\"', '"').replaceAll("\\\\", "");
      }
    },
  );

  test("an endless script is ended and the page goes on", { timeout: 60_000 }, async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await openChat(page);
    await ask(
      page,
      'sim: [{"tool":"mcp__workbench__run_script","input":{"script":"for (;;) {}"}},{"say":"It is over."}]',
    );
    await answers(page).getByText("It is over.", { exact: true }).waitFor({ timeout: 30_000 });
    expect(await page.locator("iframe").count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("new chat begins anew, and two tabs never see each other's calls", { timeout: 90_000 }, async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await openChat(page);
    const other = await visitor.newPage();
    await other.goto(page.url());
    await openSample(other, "Sales");
    await openChat(other);
    await ask(page, "add a histogram for the Age column");
    await ask(other, "which viewers are open?");
    await answers(page).getByText(ADDED).waitFor();
    await answers(other).getByText("No viewers currently added.").waitFor();
    expect(await viewer(other, "Histogram of AGE").count()).toBe(0);
    const session = (tab: typeof page): Promise<string | undefined> =>
      chat(tab).evaluate((panel) => (panel as unknown as { sessionId?: string }).sessionId);
    const first = await session(page);
    expect(await session(other)).not.toBe(first);
    await chat(page).getByRole("button", { name: "New chat" }).click();
    await answers(page).getByText(ADDED).waitFor({ state: "detached" });
    await ask(page, "which viewers are open?");
    await answers(page).getByText("Type: Histogram").waitFor();
    expect(await session(page)).not.toBe(first);
    expect(visitor.troubles).toEqual([]);
  });
});
