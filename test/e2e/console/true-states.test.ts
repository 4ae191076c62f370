import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { asked, begin, consoleWorld, conversation, question } from "./world.ts";

const SLOW = { stream: { tokens: 100_000, per_second: 200 } };
const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const call = (page: Page, name: RegExp): Locator => conversation(page).getByRole("group", { name }).first();

describeInBrowser("what the screen says is what happened", () => {
  const world = consoleWorld();

  test("after an edit, what ran stands first; what was asked for second", async () => {
    const id = await begin(world, [bash("printf original"), { say: "Ran." }]);
    const inbox = await asked(world, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await question(page).getByRole("button", { name: /^Edit/ }).click();
    await page.getByRole("textbox", { name: "Command" }).fill("printf replaced");
    await page.getByRole("button", { name: "Approve as changed" }).click();
    await conversation(page).getByText("Ran.", { exact: true }).waitFor();
    const card = call(page, /^Bash: done/);
    await expect.poll(() => card.innerText()).toMatch(/^Bash\s+printf replaced/);
    await card.getByRole("button", { name: /^Bash/ }).click();
    await expect
      .poll(() => card.innerText())
      .toMatch(/\$ printf replaced[\s\S]*Changed before approval[\s\S]*printf original/);
    await page.goto(`${world.app.serving.url}${inbox}`);
    await page.getByText(/Approved as changed by/i).waitFor();
    await expect
      .poll(() => page.getByRole("region", { name: "Approved as changed" }).innerText())
      .toContain("printf replaced");
    await page.getByText("printf original").first().waitFor({ state: "hidden" });
    await page.getByText("What was asked for").click();
    await page.getByText("printf original").first().waitFor();
    await page.goto(`${world.app.serving.url}/approvals?show=ended`);
    await page.getByRole("link", { name: /Bash.*changed.*printf replaced/ }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("Stop starts nothing: the queue is held until somebody runs it, and can be emptied", async () => {
    const id = await begin(world, [SLOW]);
    const { page } = await world.visit(`/sessions/${id}`);
    for (const say of ["first in line", "second in line"]) {
      await page
        .getByLabel("Prompt", { exact: true })
        .fill(`${say}\nsim: ${JSON.stringify([{ say: `Did the ${say}.` }])}`);
      await page.getByRole("button", { name: "Queue", exact: true }).click();
      await page.getByRole("button", { name: `Remove “${say}` }).waitFor();
    }
    // It is told for some seconds only: whoever looks later has missed it.
    await Promise.all([
      page.getByText("Turn stopped. 2 queued prompts are held.").first().waitFor(),
      page.getByRole("button", { name: "Stop" }).click(),
    ]);
    await conversation(page).getByText("You stopped this turn").waitFor();
    const queue = page.getByRole("region", { name: "Queued prompts" });
    await queue.getByText("2 held").waitFor();
    await conversation(page).getByText("Turn failed").waitFor({ state: "detached" });
    expect((await world.client.session(id)).status).toBe("idle");
    await queue.getByRole("button", { name: "Remove “first in line" }).click();
    await queue.getByText("1 held").waitFor();
    await queue.getByRole("button", { name: "Run the queue" }).click();
    await conversation(page).getByText("Did the second in line.", { exact: true }).waitFor();
    await queue.waitFor({ state: "detached" });
    await conversation(page).getByText("You removed this prompt before it started").waitFor();
  });

  test("Ctrl+Enter and Send now speak into the running turn; Enter queues", async () => {
    const id = await begin(world, [bash("printf before"), { say: "The old way." }]);
    await asked(world, id);
    const { page, troubles } = await world.visit(`/sessions/${id}`);
    const box = page.getByLabel("Prompt", { exact: true });
    await page.getByRole("button", { name: "Send now", exact: true }).waitFor();
    await box.fill("Mind the tests.");
    await box.press("Control+Enter");
    const queue = page.getByRole("region", { name: "Queued prompts" });
    await queue.getByText("1 queued").click();
    await queue.getByText("Sent into this turn").waitFor();
    await box.fill(`Go another way.\nsim: ${JSON.stringify([{ say: "Another way." }])}`);
    await box.press("Enter");
    await queue.getByRole("button", { name: "Send “Go another way." }).click();
    await expect.poll(() => queue.getByText("Sent into this turn").count()).toBe(2);
    await question(page).getByRole("button", { name: "Approve once" }).click();
    await conversation(page).getByText("Another way.", { exact: true }).waitFor();
    await queue.waitFor({ state: "detached" });
    await expect
      .poll(() => conversation(page).innerText())
      .toMatch(/printf before[\s\S]*Mind the tests\.[\s\S]*Go another way\.[\s\S]*\nAnother way\./);
    expect((await world.client.session(id)).turns).toBe(1);
    await page.getByRole("button", { name: "Send now", exact: true }).waitFor({ state: "detached" });
    expect(troubles).toEqual([]);
  });

  test("a turn that another person stopped says who", async () => {
    const id = await begin(world, [SLOW]);
    const { page } = await world.visit(`/sessions/${id}`);
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await (await world.app.as("operator", "Mara")).interrupt(id, { hold_queue: true });
    await conversation(page).getByText("Mara stopped this turn").waitFor();
  });

  test("the step limit is a pause, and goes on with a button", async () => {
    const steps = [
      { tool: "Glob", input: { pattern: "*" } },
      { tool: "Glob", input: { pattern: "*.md" } },
      { say: "All seen." },
    ];
    const id = await begin(world, steps, { max_turns: 2 });
    const { page } = await world.visit(`/sessions/${id}`);
    await conversation(page).getByText("Paused after 2 steps").waitFor();
    await conversation(page).getByText("Turn failed").waitFor({ state: "detached" });
    await conversation(page).getByRole("button", { name: "Continue" }).click();
    await conversation(page).getByText("Turn ended").waitFor();
    await conversation(page).getByRole("button", { name: "Continue" }).waitFor({ state: "detached" });
  });

  test("a question that expired is expired, everywhere, and is told", async () => {
    const policy = await world.client.policy();
    const quick = { ...policy.profiles[policy.default_profile], approval_timeout_ms: 1_500 };
    await world.client.setPolicy({ ...policy, profiles: { ...policy.profiles, quick } });
    const { page } = await world.visit("/sessions");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const id = await begin(world, [bash("echo too late"), { say: "Nobody answered." }], { profile: "quick" });
    await Promise.all([
      page.getByText("Expired, nobody answered in time: Bash echo too late").first().waitFor(),
      untilTurnEnds(world.client, id),
    ]);
    const row = page.getByRole("row").filter({ has: page.locator(`[data-session="${id}"]`) });
    await row.getByText("expired", { exact: true }).waitFor();
    await page.goto(`${world.app.serving.url}/sessions/${id}`);
    await call(page, /^Bash: expired/).waitFor();
    await page.goto(`${world.app.serving.url}/approvals?show=ended`);
    await page.getByLabel("Outcome").selectOption("Expired");
    await page.getByRole("link", { name: /echo too late.*expired/ }).waitFor();
    // The next prompt takes the mark away.
    const { seq } = await world.client.session(id);
    await world.client.prompt(id, { text: script({ say: "On." }) });
    await untilTurnEnds(world.client, id, { after: seq });
    expect(await world.client.session(id)).not.toHaveProperty("expired_approvals");
  });

  test("a command about which nobody was asked says why", async () => {
    await world.write("seen.txt", "what it holds");
    const id = await begin(world, [bash("cat seen.txt"), { say: "Read." }]);
    const { page } = await world.visit(`/sessions/${id}`);
    const card = call(page, /^Bash: done/);
    await card.getByRole("button", { name: /^Bash/ }).click();
    await card.getByText("Nobody was asked: It only reads, inside of the workspace (cat).").waitFor();
    await card.getByText("what it holds").waitFor();
  });

  test("a command shows its output while it runs, and a failed one opens at its end", async () => {
    const command =
      "for i in $(seq 80); do echo line $i; done; until [ -e go ]; do sleep 0.05; done; echo the end; exit 3";
    const id = await begin(world, [bash(command), { say: "It failed." }], { autonomy: "full" });
    const { page } = await world.visit(`/sessions/${id}`);
    const running = call(page, /^Bash: running/);
    await running.getByText("line 80").waitFor();
    await world.write("go", "");
    const failed = call(page, /^Bash: failed/);
    const box = failed.getByLabel("output", { exact: true });
    await box.getByText("the end").waitFor();
    await expect
      .poll(() =>
        box.evaluate((pre) => ({
          isMoved: pre.scrollTop > 0,
          isAtEnd: pre.scrollHeight - pre.clientHeight - pre.scrollTop < 2,
        })),
      )
      .toEqual({ isMoved: true, isAtEnd: true });
  });

  test("two calls of one message stand in their order; one that was answered is not counted as a question", async () => {
    const tools = ["one", "two"].map((file) => ({
      tool: "Write",
      input: { file_path: `${file}.txt`, content: file },
    }));
    const id = await begin(world, [{ tools }, { say: "Both." }]);
    const { page } = await world.visit(await asked(world, id));
    const lines = page.locator("[data-approval]").filter({ hasText: /(one|two)\.txt/ });
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual([expect.stringContaining("one.txt"), expect.stringContaining("two.txt")]);
    await page.goto(`${world.app.serving.url}/sessions/${id}`);
    await conversation(page)
      .getByText(/Waiting for you: Write .*and 1 more/)
      .waitFor();
    const { approvals } = await world.client.approvals({ status: "pending", session_id: id });
    const second = approvals.find(({ input }) => input["file_path"] === "two.txt");
    await world.client.decide(second?.id ?? "", { decision: "approve", input_hash: second?.input_hash ?? "" });
    await conversation(page)
      .getByText(/and 1 more/)
      .waitFor({ state: "detached" });
    await call(page, /^Write: approved/).waitFor();
  });
});
