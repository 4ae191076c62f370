import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { ALL_PAYLOADS, PAYLOADS } from "../console/payloads.ts";
import { checkPage, listen } from "../console/traces.ts";
import { consoleWorld } from "../console/world.ts";
import { answers, ask, chat, openChat, play } from "./world.ts";

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
/** Hostile in its name, its columns and its cells. */
const NAME = "<img src=x onerror=window.__xss=1>.csv";
const HEAD = PAYLOADS.slice(0, 6).map(quoted).join(",");
const ROWS = PAYLOADS.map((payload) => Array.from({ length: 6 }, () => quoted(payload)).join(","));

describeInBrowser("text that wants to be more than text, in the workbench", () => {
  const world = consoleWorld();

  test("in a file, its columns and cells, in what an agent says and adds", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const told = listen(visitor.context, [world.app.serving.url]);
    const buffer = Buffer.from([HEAD, ...ROWS].join("\n"));
    await page.getByLabel("Files to open").setInputFiles({ name: NAME, mimeType: "text/csv", buffer });
    await page.getByRole("grid").first().waitFor();
    await checkPage(visitor, told);
    await openChat(page);
    const viewer = (viewerType: string): object => ({
      tool: "mcp__workbench__add_viewer",
      input: { viewerType, viewerProperties: { title: PAYLOADS[4], description: PAYLOADS[6] } },
    });
    const markup = { viewerType: "Markup", viewerProperties: { content: ALL_PAYLOADS } };
    await ask(
      page,
      play(
        viewer("Bar chart"),
        { tool: "mcp__workbench__add_viewer", input: markup },
        { tool: "<img src=x onerror=window.__xss=1>", input: { a: PAYLOADS[0] } },
        { say: `${ALL_PAYLOADS}\n\nOver.` },
      ),
    );
    await answers(page).getByText("Over.", { exact: true }).waitFor();
    await chat(page).getByRole("button", { name: "Run AI Prompt" }).waitFor();
    await expect.poll(() => page.getByRole("region").filter({ hasText: "mark4" }).count()).toBeGreaterThan(0);
    await checkPage(visitor, told);
  });
});
