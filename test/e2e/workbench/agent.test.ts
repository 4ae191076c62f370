import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { SCRIPT_SAMPLES } from "../../../src/web/workbench/agent/script/samples.ts";
import { answers, ask, chat, openChat, openSample, play, sessionOf, toolAnswers, viewer } from "./world.ts";

const ADDED = /Added viewer with ID: viewer-[a-z0-9]{6}-[a-z0-9]{6}-[a-z0-9]{6}/;
const ENGINE_MS = 60_000;
const tool = (name: string, input: object): object => ({ tool: `mcp__workbench__${name}`, input });

/** Whatever a script could try to reach, and how many of these it has reached. With whole addresses: a worker of a text has none of its own. */
const escapeTo = (
  home: string,
): string => `const met = (made) => new Promise((done, failed) => Object.assign(made, { onopen: done, onsuccess: done, onerror: failed }));
const tries = {
  fetch: () => fetch("${home}/api/me"), elsewhere: () => fetch("http://127.0.0.1:1/"), socket: () => met(new WebSocket("ws://127.0.0.1:1/")),
  events: () => met(new EventSource("${home}/api/me")), storage: () => met(indexedDB.open("x")), caches: () => caches.open("x"),
  eval: () => eval("1"), maker: () => new Function("return 1")(), scripts: () => importScripts("${home}/assets/before-1.js"), module: () => import("${home}/assets/before-1.js"),
};
const reached = [];
for (const [name, attempt] of Object.entries(tries)) {
  try { await attempt(); reached.push(name); } catch { /* as it should be */ }
}
return reached.length + " of " + Object.keys(tries).length + " " + reached.join();`;

describeInBrowser("an agent in the workbench", () => {
  const world = consoleWorld();

  test.each([
    { engine: "", of: "the server's choice" },
    { engine: "claude-sdk", of: "Claude Code through its SDK" },
  ])("adds a chart when it is asked to, with $of", async ({ engine }) => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await openChat(page);
    if (engine !== "") await page.getByLabel("Next chat with").selectOption(engine);
    await ask(page, "add a histogram for the Age column");
    await answers(page).getByText(ADDED).waitFor({ timeout: ENGINE_MS });
    // The steps in words, the picture, and the answer that names it.
    await answers(page).getByText("Getting available properties for Histogram viewer").first().waitFor();
    await answers(page).getByText("Adding Histogram viewer").first().waitFor();
    await answers(page).getByText("The Histogram for Age is there now.").waitFor();
    await viewer(page, "Histogram of AGE").getByRole("img").first().waitFor();
    const [id] = /viewer-[a-z0-9-]{20}/.exec((await answers(page).textContent()) ?? "") ?? [];
    await ask(page, "which viewers are open?");
    await answers(page).getByText(`ID: ${id}, Type: Histogram`).waitFor({ timeout: ENGINE_MS });
    // Whatever an agent did can be taken back.
    await ask(page, "undo");
    await answers(page).getByText("Took back: Added Histogram").waitFor({ timeout: ENGINE_MS });
    await viewer(page, "Histogram of AGE").waitFor({ state: "detached" });
    expect(visitor.troubles).toEqual([]);
  });

  test("makes columns, filters, runs scripts and exports", async () => {
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
    const script = `print(table.columnNames.at(-1));
      output.addColumn("OLD", table.get("AGE").map((age) => age > 60));
      return table.filtered.length;`;
    await ask(page, play(tool("apply_filter", { expression: "" }), tool("run_script", { script }), { say: "It ran." }));
    await answers(page).getByText("It ran.", { exact: true }).waitFor();
    const [ran] = (await toolAnswers(page, world.client)).slice(-1);
    for (const part of ["Printed:", "BMI", "Returned: 5850", "Added column OLD (bool)."]) expect(ran).toContain(part);
    const saved = page.waitForEvent("download");
    await ask(page, "export it to CSV");
    expect((await saved).suggestedFilename()).toBe("demog.csv");
    await answers(page).getByText("Exported 5850 rows to demog.csv.").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a script reaches nothing but its copy of the table", async () => {
    const { page } = await world.visit("/workbench");
    await openSample(page);
    await openChat(page);
    const scripts = [
      escapeTo(world.app.serving.url),
      // In the name of the frame, and of the worker.
      'self.postMessage({ type: "ready" }); for (;;) {}',
      "self.postMessage(null); for (;;) {}",
    ];
    await ask(page, play(...scripts.map((script) => tool("run_script", { script })), { say: "It tried." }));
    await answers(page).getByText("It tried.", { exact: true }).waitFor();
    expect(await toolAnswers(page, world.client)).toEqual([
      expect.stringContaining("Returned: 0 of 10"),
      expect.stringContaining("not its own to choose"),
      expect.stringContaining("not its own to choose"),
    ]);
  });

  test("every sample script runs", async () => {
    const { page } = await world.visit("/workbench");
    await openSample(page);
    await openChat(page);
    // One that opens a table comes last: the others are about the table that is shown.
    const samples = SCRIPT_SAMPLES.toSorted(
      (one, other) => Number(one.code.includes("addTable")) - Number(other.code.includes("addTable")),
    );
    await ask(page, play(...samples.map(({ code }) => tool("run_script", { script: code })), { say: "All ran." }));
    await answers(page).getByText("All ran.", { exact: true }).waitFor();
    const told = await toolAnswers(page, world.client);
    expect(told.map((answer) => (JSON.parse(answer) as { readonly status: string }).status)).toEqual(
      SCRIPT_SAMPLES.map(() => "completed"),
    );
    for (const part of ["Added column WEIGHT z-score", "Opened table AGE by RACE", "Added column HEIGHT rolling"])
      expect(told.join()).toContain(part);
  });

  test("an endless script is ended and the page goes on", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await openChat(page);
    // Its 10 s would be 10 s of a core's work.
    await page.clock.install();
    const running = page.waitForEvent("worker");
    await ask(page, play(tool("run_script", { script: "for (;;) {}" }), { say: "It is over." }));
    await running;
    await page.clock.fastForward(10_000);
    await answers(page).getByText("It is over.", { exact: true }).waitFor();
    expect(await toolAnswers(page, world.client)).toEqual([
      expect.stringContaining("the script did not end within 10 s"),
    ]);
    await expect.poll(() => page.locator("iframe").count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("new chat begins anew, and two tabs never see each other's calls", async () => {
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
    await expect.poll(() => viewer(other, "Histogram of AGE").count()).toBe(0);
    const first = await sessionOf(page);
    await expect.poll(() => sessionOf(other)).not.toBe(first);
    await chat(page).getByRole("button", { name: "New chat" }).click();
    await answers(page).getByText(ADDED).waitFor({ state: "detached" });
    await ask(page, "which viewers are open?");
    await answers(page).getByText("Type: Histogram").waitFor();
    await expect.poll(() => sessionOf(page)).not.toBe(first);
    expect(visitor.troubles).toEqual([]);
  });
});
