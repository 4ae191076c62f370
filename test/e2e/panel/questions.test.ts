import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { answers, ask, isIdle, panelWorld, press, script } from "./world.ts";

const write = (file: string): string =>
  script({ tool: "Write", input: { file_path: file, content: "one\ntwo\n" } }, { say: "Well." });

describeInBrowser("questions in the middle of an answer", () => {
  const world = panelWorld();
  const isThere = (file: string): boolean => existsSync(join(world.app.place.workspace, file));

  test("yes, no with words, and always", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const question = page.getByRole("region", { name: "Make this change?" });
    await ask(page, write("yes.txt"));
    await expect.poll(() => question.getByRole("group", { name: "Change" }).innerText()).toContain("+one\n\n+two");
    expect(isThere("yes.txt")).toBe(false);
    await press(page, "Yes");
    await question.getByText("You said yes.").waitFor();
    await isIdle(page);
    expect(isThere("yes.txt")).toBe(true);

    await ask(page, write("no.txt"));
    await press(page, "No…");
    await page.getByRole("textbox", { name: "Why not? The agent reads it." }).fill("not here");
    await press(page, "Send no");
    await question.getByText("You said no: not here").waitFor();
    await isIdle(page);
    expect(isThere("no.txt")).toBe(false);
    await answers(page).nth(1).getByText("Write no.txt: declined", { exact: true }).waitFor();

    await ask(page, write("always.txt"));
    await press(page, "Always for this chat");
    await question.getByText("always for this chat:").waitFor();
    await isIdle(page);
    await ask(page, write("always.txt"));
    await answers(page).nth(3).getByText("Well.").waitFor();
    await expect.poll(() => question.count()).toBe(3);
    expect(visitor.troubles).toEqual([]);
  });

  test("a command shows what will be run", async () => {
    const { page } = await world.visit();
    await ask(page, script({ tool: "Bash", input: { command: "rm -rf build\u202e" } }, { say: "Well." }));
    const question = page.getByRole("region", { name: "Run this command?" });
    await expect.poll(() => question.getByRole("group", { name: "Command" }).innerText()).toBe("rm -rf build⟨U+202E⟩");
    await expect.poll(() => question.locator(".warning").count()).toBeGreaterThan(0);
    await press(page, "No…");
    await press(page, "Send no");
    await question.getByText("You said no.").waitFor();
  });

  test.each([
    {
      what: "a command",
      headline: "Run this command?",
      group: "Command",
      step: { tool: "Bash", input: { command: `echo ${"x".repeat(70_000)}; rm -rf hidden` } },
      end: "; rm -rf hidden",
    },
    {
      what: "a change",
      headline: "Make this change?",
      group: "Change",
      step: { tool: "Write", input: { file_path: "long.txt", content: `${"line\n".repeat(12_000)}hidden\n` } },
      end: "+hidden",
    },
    {
      what: "a tool's input",
      headline: /^Adding x+/,
      group: "Input",
      step: { tool: "mcp__shop__add_to_cart", input: { article: `${"x".repeat(70_000)}hidden` } },
      end: 'hidden"\n}',
    },
  ])("$what that is long can be agreed to once all of it was shown", async ({ headline, group, step, end }) => {
    const visitor = await world.visit({ session: JSON.stringify({ autonomy: "restricted", max_tokens: 100_000 }) });
    const { page } = visitor;
    await ask(page, script(step, { say: "Well." }));
    const question = page.getByRole("region", { name: headline });
    const text = question.getByRole("group", { name: group });
    const yes = question.getByRole("button", { name: "Yes" });
    await question.getByText("You can say yes once all of it is shown.").waitFor();
    await expect.poll(() => question.getByRole("button", { disabled: true }).allInnerTexts()).toContain("Yes");
    await expect.poll(() => yes.isDisabled()).toBe(true);
    await expect.poll(async () => (await text.innerText()).trimEnd().endsWith(end)).toBe(false);
    await question.getByRole("button", { name: /^Show all \([\d,]+ more characters\)$/ }).click();
    await question.getByRole("button", { name: /^Show/ }).waitFor({ state: "detached" });
    await expect.poll(async () => (await text.innerText()).trimEnd().endsWith(end)).toBe(true);
    await expect.poll(() => yes.isDisabled()).toBe(false);
    await expect.poll(() => question.getByText("You can say yes once all of it is shown.").isVisible()).toBe(false);
    await press(page, "No…");
    await press(page, "Send no");
    await question.getByText("You said no.").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("the agent's own questions", async () => {
    const { page } = await world.visit();
    const options = [
      { label: "Red", description: "Like a rose" },
      { label: "Blue", description: "Like the sea" },
    ];
    const questions = [
      { question: "Which colour?", header: "Colour", multiSelect: false, options },
      { question: "Which more?", header: "", multiSelect: true, options },
    ];
    await ask(page, script({ tool: "AskUserQuestion", input: { questions } }, { say: "Fine." }));
    await page.getByRole("group", { name: "Colour: Which colour?" }).getByLabel("Blue").check();
    await press(page, "Send the answers");
    await page.getByText("One question is open.").waitFor();
    const second = page.getByRole("group", { name: "Which more?" });
    await second.getByLabel("Red").check();
    await second.getByRole("textbox", { name: "Your own answer" }).fill("green");
    await press(page, "Send the answers");
    await answers(page).getByText("Fine.").waitFor();
    const { sessions } = await world.app.client.sessions();
    const { approvals } = await world.app.client.approvals({ session_id: sessions[0]?.id ?? "" });
    expect(approvals[0]?.updated_input?.["answers"]).toEqual({
      "Which colour?": "Blue",
      "Which more?": ["Red", "green"],
    });
  });

  test("an answer that somebody else gave is shown here too; a question that was taken back is not open", async () => {
    const { page } = await world.visit();
    await ask(page, write("elsewhere.txt"));
    await page.getByRole("button", { name: "Yes" }).waitFor();
    const { approvals } = await world.app.client.approvals({ status: "pending" });
    const [asked] = approvals;
    await world.app.client.decide(asked?.id ?? "", { decision: "approve", input_hash: asked?.input_hash ?? "" });
    await page.getByText(/^(?!You).* said yes\.$/).waitFor();
    await isIdle(page);
    await ask(page, write("stopped.txt"));
    await page.getByRole("button", { name: "Yes" }).waitFor();
    await press(page, "Stop AI Generation");
    await page.getByText("Not needed any more.").waitFor();
    expect(isThere("stopped.txt")).toBe(false);
  });
});
