import { expect, test } from "vitest";
import { atRest, describeInBrowser, hasFocus } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { asked, begin, consoleWorld, conversation, question } from "./world.ts";

const WRITE = (file: string, content: string): object => ({ tool: "Write", input: { file_path: file, content } });

describeInBrowser("a person decides", () => {
  const world = consoleWorld();

  test("no, with the reason, which the agent reads and answers", async () => {
    const id = await begin(world, [WRITE("no.txt", "no\n"), { say: "Then I will not write it." }]);
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await question(page)
      .getByRole("button", { name: /^Reject/ })
      .click();
    await page.getByLabel("Why are you rejecting this?").fill("Use another name");
    await page.getByRole("button", { name: "Reject with Feedback" }).click();
    await conversation(page).getByText("Then I will not write it.", { exact: true }).waitFor();
    const { events } = await world.client.events(id, { limit: 1_000 });
    const declined = events.find((event) => event.type === "item.completed" && event.item.status === "declined");
    expect(JSON.stringify(declined)).toContain("User rejected: Use another name");
    expect(visitor.troubles).toEqual([]);
  });

  test("yes, after a change that is shown before", async () => {
    const id = await begin(world, [WRITE("changed.txt", "first words\n"), { say: "Written." }]);
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await question(page).getByRole("button", { name: /^Edit/ }).click();
    const content = page.getByRole("textbox", { name: /content/i });
    await content.fill("other words\n");
    await question(page).getByText("other words").nth(1).waitFor();
    await page.getByRole("button", { name: /Approve as changed/ }).click();
    await conversation(page).getByText("Written.", { exact: true }).waitFor();
    expect(await world.read("changed.txt")).toBe("other words\n");
    expect(visitor.troubles).toEqual([]);
  });

  test("two at once: the first answer counts, the second person is told", async () => {
    const id = await begin(world, [WRITE("race.txt", "race\n"), { say: "Over." }]);
    const ended = untilTurnEnds(world.client, id);
    const path = await asked(world, id);
    const [one, two] = await Promise.all([world.visit(path), world.visit(path)]);
    await Promise.all([one, two].map(({ page }) => question(page).getByRole("button", { name: "Skip" }).waitFor()));
    // Whoever is slower may find the button gone: that click ends with the page.
    void Promise.allSettled([
      question(one.page)
        .getByRole("button", { name: /Approve once/ })
        .click(),
      question(two.page).getByRole("button", { name: "Skip" }).click(),
    ]);
    const events = await ended;
    expect(events.filter(({ type }) => type === "approval.resolved")).toHaveLength(1);
    const said = events.find((event) => event.type === "approval.resolved");
    const word = said?.type === "approval.resolved" && said.outcome === "approved" ? /approved/i : /rejected/i;
    await Promise.all([one, two].map(({ page }) => page.getByRole("article").getByText(word).first().waitFor()));
    for (const { page } of [one, two])
      await expect
        .poll(() =>
          question(page)
            .getByRole("button", { name: /Approve once/ })
            .count(),
        )
        .toBe(0);
    expect([...one.troubles, ...two.troubles]).toEqual([]);
  });

  test("by the keyboard alone", async () => {
    const id = await begin(world, [WRITE("keys.txt", "keys\n"), { say: "Typed." }]);
    const ended = untilTurnEnds(world.client, id);
    const visitor = await world.visit(await asked(world, id));
    await question(visitor.page).waitFor();
    await atRest(visitor.page);
    await visitor.page.keyboard.press("a");
    await visitor.page.getByText("Press again to approve.").waitFor();
    await hasFocus(question(visitor.page).getByRole("button", { name: /^Approve once/ }));
    await visitor.page.keyboard.press("Enter");
    await ended;
    expect(await world.read("keys.txt")).toBe("keys\n");
  });

  test("a question of the agent is answered in a form", async () => {
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [
          { label: "Red", description: "as a rose" },
          { label: "Blue", description: "as the sky" },
        ],
      },
    ];
    const id = await begin(world, [{ tool: "AskUserQuestion", input: { questions } }, { say: "Thank you." }]);
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await question(page).getByLabel(/Blue/).check();
    await question(page)
      .getByRole("button", { name: /Answer|Send/ })
      .first()
      .click();
    await conversation(page).getByText("Thank you.", { exact: true }).waitFor();
    const { events } = await world.client.events(id, { limit: 1_000 });
    const done = events.find((event) => event.type === "item.completed" && "tool" in event.item);
    expect(JSON.stringify(done)).toContain("Blue");
    expect(visitor.troubles).toEqual([]);
  });
});
