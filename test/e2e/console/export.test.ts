import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../../support/browser.ts";
import { runScript, script } from "../../support/app.ts";
import { consoleWorld } from "./world.ts";

const RECORD = fileURLToPath(new URL("../../imports/golden/claude-code.jsonl", import.meta.url));

describeInBrowser("export, share and import in the console", () => {
  const world = consoleWorld();
  const talk = async (): Promise<string> =>
    (await runScript(world.client, { prompt: { text: script({ say: "<b>Shown</b> as text." }) } })).session.id;

  test("a session is saved as a web page", async () => {
    const id = await talk();
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await page.locator("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Export" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("dialog").getByRole("button", { name: "Web page" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`${id}.html`);
    expect(await readFile(await saved.path(), "utf8")).toContain("&lt;b&gt;Shown&lt;/b&gt; as text.");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(visitor.troubles).toEqual([]);
  });

  test("a link is made on a phone, opened by somebody without a token, and ended", async () => {
    const id = await talk();
    const visitor = await world.visit(`/sessions/${id}`, PHONE);
    const { page } = visitor;
    await page.locator("main").getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Share" }).tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("The link works for").selectOption({ label: "1 day" });
    await dialog.getByRole("button", { name: "Create link" }).tap();
    const address = await dialog.getByRole("textbox", { name: "Your link" }).inputValue();
    const context = await world.browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(address);
    await stranger.getByText("<b>Shown</b> as text.", { exact: true }).waitFor();
    await dialog.getByText("Prompts and answers · by").waitFor();
    await dialog.getByRole("button", { name: "End link" }).tap();
    await dialog.getByRole("button", { name: "End link" }).waitFor({ state: "detached" });
    await stranger.reload();
    await stranger.getByRole("heading", { name: "This link does not work" }).waitFor();
    await context.close();
    expect(visitor.troubles).toEqual([]);
  });

  test("a record of Claude Code becomes a session; another file is refused in words", async () => {
    const { page } = await world.visit("/new");
    const input = page.getByLabel("Record to import");
    await page.getByRole("button", { name: "Import" }).waitFor();
    await input.setInputFiles({ name: "notes.jsonl", mimeType: "text/plain", buffer: Buffer.from("hello\n") });
    await page.getByText("This file holds no conversation of Claude Code or Codex.").first().waitFor();
    await input.setInputFiles(RECORD);
    await page.getByText("It has one line.", { exact: true }).waitFor();
    await page.getByText("Imported from claude-code: 2 turns. Nothing of it ran here.").waitFor();
  });
});
