import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { begin, consoleWorld, conversation, question } from "./world.ts";

const RUN = `sim: ${JSON.stringify([{ tool: "Bash", input: { command: "echo ran > mode.txt" } }, { say: "It ran." }])}`;

describeInBrowser("document 001's page", () => {
  const world = consoleWorld();

  test("at /agent a person picks the mode: Auto Execute runs without a question", async () => {
    const visitor = await world.visit("/agent");
    const { page } = visitor;
    // What each mode means stands beside it.
    await page.getByText("Every edit and command waits for your approval.").waitFor();
    await page.getByText("Runs without asking. Policy blocks still apply.").waitFor();
    await page.getByLabel("What should the agent do?").fill(RUN);
    await page.getByRole("radio", { name: /Auto Execute/ }).check();
    await page.getByRole("button", { name: /Start session/ }).click();
    await conversation(page).getByText("It ran.", { exact: true }).waitFor();
    expect(await world.read("mode.txt")).toBe("ran\n");
    const [session] = (await world.client.sessions({ limit: 1 })).sessions;
    const { events } = await world.client.events(session?.id ?? "", { limit: 1_000 });
    expect(events.filter(({ type }) => type === "approval.requested")).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test("a command is shown with what to beware of", async () => {
    const id = await begin(world, [{ tool: "Bash", input: { command: "sudo rm -rf build | tee log > out.txt" } }]);
    const { page } = await world.visit(`/sessions/${id}`);
    const warnings = question(page).getByRole("list", { name: "Warnings" }).getByRole("listitem");
    await expect
      .poll(() => warnings.allTextContents())
      .toEqual([
        "Runs with another user's rights: sudo.",
        "Deletes files: rm -rf build",
        "Overwrites out.txt.",
        "Feeds the output of one command into another.",
      ]);
  });
});
