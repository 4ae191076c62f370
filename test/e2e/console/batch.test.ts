import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../../support/browser.ts";
import { until } from "../../support/until.ts";
import { begin, consoleWorld, question } from "./world.ts";

const bash = (command: string): object => ({ tool: "Bash", input: { command } });

describeInBrowser("many questions", () => {
  const world = consoleWorld();

  const waiting = async (): Promise<number> => (await world.client.approvals({ status: "pending" })).approvals.length;

  test("ten of five sessions are cleared on a phone in at most six taps, each seen before", async () => {
    await Promise.all(
      [1, 2, 3, 4, 5].map((n) => begin(world, [{ tools: [bash(`echo a${n}`), bash(`echo b${n}`)] }, { say: "Done." }])),
    );
    await until(async () => (await waiting()) === 10);
    const visitor = await world.visit("/sessions", PHONE);
    const { page } = visitor;
    let taps = 0;
    const tap = async (target: ReturnType<typeof page.getByRole>): Promise<void> => {
      taps += 1;
      await target.tap();
    };
    await tap(page.getByRole("link", { name: /Approvals.*10/ }));
    await tap(page.getByRole("link", { name: "Review 10 together" }));
    for (const n of [1, 2, 3, 4, 5])
      for (const letter of ["a", "b"]) await page.locator("pre", { hasText: `echo ${letter}${n}` }).waitFor();
    await tap(page.getByRole("button", { name: "Approve 10" }));
    await page.getByText("All answered").waitFor();
    await until(async () => (await waiting()) === 0);
    expect(taps).toBeLessThanOrEqual(6);
    expect(visitor.troubles).toEqual([]);
  });

  test("a broader rule is picked from the ladder, by keyboard, and taken back beside the conversation", async () => {
    const id = await begin(world, [bash("git init -q"), bash("git init --quiet ."), { say: "Both ran." }]);
    const { page } = await world.visit(`/sessions/${id}`);
    await question(page).getByRole("button", { name: "Choose what to allow for this session" }).press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("radio", { name: /Bash\(git init:\*\)/, checked: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Both ran.", { exact: true }).waitFor();
    expect((await world.client.session(id)).grants).toEqual(["Bash(git init:*)"]);
    await page.getByRole("button", { name: "Take back Bash(git init:*)" }).click();
    await until(async () => (await world.client.session(id)).grants.length === 0);
  });

  test("a file that changes meanwhile is marked, and shown anew before it can be approved", async () => {
    await world.write("shared.txt", "one\n");
    const id = await begin(world, [
      { tool: "Write", input: { file_path: "shared.txt", content: "two\n" } },
      { say: "Done." },
    ]);
    const { page } = await world.visit(`/sessions/${id}`);
    const card = question(page);
    await card.getByRole("button", { name: /^Approve once/ }).waitFor();
    await world.write("shared.txt", "theirs\n");
    await card.getByRole("button", { name: "Show the change as it is now" }).click();
    await card.getByText("theirs").first().waitFor();
    await card.getByRole("button", { name: /^Approve once/ }).click();
    await until(async () => (await world.read("shared.txt")) === "two\n");
  });
});
