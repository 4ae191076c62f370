import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openTestApp, runScript, script } from "../../support/app.ts";
import { atRest, describeInBrowser, hasFocus, launchBrowser, Visitor } from "../../support/browser.ts";
import { MovableClock } from "../../support/clock.ts";
import { ownPort } from "../../support/port.ts";
import { startServer, TEST_TOKEN } from "../../support/server.ts";
import { conversation, question } from "./world.ts";

/** A whole day takes longer than one test may, on a machine with other work. */
const LONG_MS = 300_000;
const WEEK_MS = 7 * 86_400_000;
/** It has not ended when somebody stops it, however slow the machine is. */
const SLOW = { stream: { tokens: 100_000, per_second: 5 } };
/** More of them are on no page of the console. */
const MOST_TABS = 120;
const told = (text: string, ...steps: readonly object[]): string => `${text}\nsim: ${JSON.stringify(steps)}`;
const said = (text: string): string => told(text, { say: `Did: ${text}.` });

const promptBox = (page: Page): Locator => page.getByRole("textbox", { name: "Prompt", exact: true });

/** Tab, as often as it takes, and Enter. */
async function reach(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await element.evaluate((one) => one === document.activeElement)) return page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${String(element)}`);
}

/** A key of the page, once the page listens. */
async function press(page: Page, key: string): Promise<void> {
  await atRest(page);
  await page.keyboard.press(key);
}

/** By the name of what was asked. */
async function goTo(page: Page, title: string): Promise<void> {
  await press(page, "Control+k");
  await page.keyboard.insertText(title);
  const entry = page.getByRole("option", { name: title, exact: true, selected: true });
  await entry.waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
}

async function begin(page: Page, prompt: string): Promise<void> {
  await press(page, "n");
  await hasFocus(page.getByLabel("What should the agent do?"));
  await page.keyboard.insertText(prompt);
  await page.getByText(/^It works in /).waitFor();
  const before = page.url();
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => address.pathname.startsWith("/sessions/ses_") && String(address) !== before);
  await page.getByRole("heading", { level: 1, name: prompt.split("\n")[0] ?? "" }).waitFor();
}

describeInBrowser("a day at the console", () => {
  test(
    "by keyboard alone, and a server that is killed in the middle of it changes nothing",
    async () => {
      const clock = new MovableClock();
      clock.jump(-WEEK_MS);
      await using past = await openTestApp({}, { clock });
      const { place } = past;
      await runScript(past.client, { prompt: { text: script({ say: "The heckelphone is in tune." }) } });
      await past.stop();
      const git = (...words: readonly string[]): string =>
        execFileSync("git", ["-C", place.workspace, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
          encoding: "utf8",
        });
      await writeFile(join(place.workspace, "a.txt"), "one\ntwo\nthree\n");
      git("init", "--quiet", "--initial-branch=main");
      git("add", "--all");
      git("commit", "--quiet", "--message=all");
      const settings = { SALLYPORT_PORT: String(await ownPort()), SALLYPORT_RECORD_FILES: "on" };
      let server = await startServer(place, settings);
      await using browser = await launchBrowser();
      try {
        const visitor = await Visitor.open(browser, { url: server.url, token: TEST_TOKEN });
        const { page } = visitor;
        await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();

        // Six sessions.
        await begin(
          page,
          told("Rename two", { tool: "Write", input: { file_path: "a.txt", content: "one\n2\nthree\n" } }),
        );
        await begin(page, told("Explain it all", SLOW));
        for (const name of ["third", "fourth", "fifth", "sixth"]) await begin(page, said(name));
        await conversation(page).getByText("Did: sixth.", { exact: true }).waitFor();

        // A sentence from last week.
        await press(page, "Control+k");
        await page.keyboard.insertText("heckelphone tune");
        await page.getByRole("option", { name: /The heckelphone is in tune/, selected: true }).waitFor();
        await page.keyboard.press("Enter");
        await conversation(page).getByText("The heckelphone is in tune.", { exact: true }).waitFor();

        // Steer: what is sent while the question waits is read before the next step.
        await goTo(page, "Rename two");
        await question(page).waitFor();
        await press(page, "i");
        await hasFocus(promptBox(page));
        await page.getByRole("button", { name: "Send now" }).waitFor();
        await page.keyboard.insertText(said("Mind the rest"));
        await page.keyboard.press("Control+Enter");
        await expect.poll(() => promptBox(page).inputValue()).toBe("");
        await page.getByText("Sent into this turn").waitFor({ state: "attached" });
        await reach(page, question(page).getByRole("button", { name: /^Approve once/ }));
        await conversation(page).getByText("Did: Mind the rest.", { exact: true }).waitFor();

        // Stop: what is queued is held, and stays so though the server is killed.
        await goTo(page, "Explain it all");
        await press(page, "i");
        await hasFocus(promptBox(page));
        await page.getByRole("button", { name: "Queue", exact: true }).waitFor();
        for (const text of ["Then this", "Then that"]) {
          await page.keyboard.insertText(said(text));
          await page.keyboard.press("Enter");
          await page.getByRole("button", { name: `Edit “${text}”` }).waitFor();
        }
        await page.keyboard.press("Escape");
        await conversation(page).getByText("You stopped this turn").waitFor();
        const stopped = new URL(page.url()).pathname.split("/").at(-1) ?? "";
        const queue = page.getByRole("region", { name: "Queued prompts" });
        await queue.getByText("Held because the turn was stopped.").waitFor();
        const { queue: held } = await server.client.session(stopped);
        await server.kill();
        await page.getByText("The connection to the server was lost.").waitFor();
        server = await startServer(place, settings);
        await page.getByText("The connection to the server was lost.").waitFor({ state: "detached" });
        expect(held).toMatchObject([{ held: true }, { held: true }]);
        expect((await server.client.session(stopped)).queue).toEqual(held);
        await reach(page, queue.getByRole("button", { name: "Run the queue" }));
        await conversation(page).getByText("Did: Then that.", { exact: true }).waitFor();
        const { events } = await server.client.events(stopped, { limit: 1_000 });
        const begun = events.flatMap((event) =>
          event.type === "turn.started" ? [event.prompt.text.split("\n")[0]] : [],
        );
        expect(begun).toEqual(["Explain it all", "Then this", "Then that"]);

        // Review, comment, commit.
        await goTo(page, "Rename two");
        await press(page, "d");
        await page.getByRole("heading", { name: "Changes", level: 1 }).waitFor();
        await page.getByRole("region", { name: "a.txt" }).getByText("two").first().waitFor();
        await press(page, "c");
        await hasFocus(page.getByLabel("Line", { exact: true }));
        await page.keyboard.insertText("2");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        await hasFocus(page.getByLabel("Comment", { exact: true }));
        await page.keyboard.insertText(said("Two is a word"));
        await page.keyboard.press("Control+Enter");
        await reach(page, page.getByRole("button", { name: "Send to the agent" }));
        await conversation(page).getByText("Did: Two is a word.", { exact: true }).waitFor();
        await press(page, "d");
        await reach(page, page.getByRole("button", { name: "Commit", exact: true }));
        const form = page.getByRole("dialog", { name: "Commit 1 file" });
        await hasFocus(form.getByLabel("Message"));
        await page.keyboard.press("Control+Enter");
        await form.waitFor({ state: "detached" });
        expect(git("show", "main:a.txt")).toBe("one\n2\nthree\n");
        expect(await readFile(join(place.workspace, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
        expect(visitor.troubles).toEqual([]);
      } finally {
        await server.stop();
      }
    },
    LONG_MS,
  );
});
