import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { asked, begin, consoleWorld, question, type ConsoleWorld } from "./world.ts";

/** A phone; the same with its keyboard open and on its side; a desktop at 200 % zoom; a desktop. */
const WINDOWS = [
  [390, 844],
  [390, 480],
  [844, 390],
  [720, 450],
  [1_440, 900],
] as const;

const LONG = `printf '%s\\n' ${Array.from({ length: 150 }, (_, index) => `argument-${String(index)}`).join(" ")}`;
const LINES = Array.from({ length: 200 }, (_, index) => `line ${String(index)} of a long file`).join("\n");
const COLOURS = {
  question: "Which colours?",
  header: "Colours",
  multiSelect: true,
  options: Array.from({ length: 4 }, (_, index) => ({
    label: `Colour ${String(index)}`,
    description: "one of many, described at length ".repeat(8),
  })),
};

const SUBJECTS = [
  { name: "a long command", step: { tool: "Bash", input: { command: LONG } }, yes: "Approve once" },
  {
    name: "a long diff",
    step: { tool: "Write", input: { file_path: "long.txt", content: LINES } },
    yes: "Approve once",
  },
  {
    name: "a question of the agent",
    step: { tool: "AskUserQuestion", input: { questions: [COLOURS] } },
    yes: "Send the answer",
  },
] as const;

describeInBrowser("the answers are in sight", () => {
  const world = consoleWorld();

  test.each(SUBJECTS)("$name, in every window, in the session and in the inbox", async (subject) => {
    const id = await begin(world, [subject.step]);
    const inbox = await asked(world, id);
    const visitor = await world.visit(inbox);
    const { page } = visitor;
    for (const path of [inbox, `/sessions/${id}`]) {
      await go(world, page, path);
      for (const [width, height] of WINDOWS) {
        await page.setViewportSize({ width, height });
        for (const name of [/^Reject/, /^Skip/, subject.yes])
          await isInSight(question(page).getByRole("button", { name }).first(), `${path} ${name} ${width}×${height}`);
      }
    }
    expect(visitor.troubles).toEqual([]);
  });

  test("while a reason is written and while a command is edited", async () => {
    const id = await begin(world, [{ tool: "Bash", input: { command: LONG } }]);
    const inbox = await asked(world, id);
    const { page } = await world.visit(inbox);
    for (const path of [inbox, `/sessions/${id}`]) {
      await go(world, page, path);
      await page.setViewportSize({ width: 390, height: 480 });
      await question(page)
        .getByRole("button", { name: /^Reject/ })
        .click();
      await isInSight(page.getByLabel("Why are you rejecting this?"), `${path} the reason`);
      await isInSight(question(page).getByRole("button", { name: "Reject", exact: true }), `${path} Reject`);
      await page.keyboard.press("Escape");
      await question(page).getByRole("button", { name: /^Edit/ }).click();
      await isInSight(page.getByRole("button", { name: "Approve as changed" }), `${path} Approve as changed`);
      await page.getByRole("button", { name: "Back" }).click();
    }
  });
});

async function go(world: ConsoleWorld, page: Page, path: string): Promise<void> {
  await page.goto(`${world.app.serving.url}${path}`);
  await question(page).getByRole("button", { name: /^Skip/ }).waitFor();
}

/** Waits until the whole of it is in the window, and nothing lies over its middle. */
async function isInSight(element: Locator, what: string): Promise<void> {
  await expect
    .poll(
      () =>
        element.evaluate((node) => {
          const { left, top, right, bottom } = node.getBoundingClientRect();
          const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && bottom > top;
          const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          return isInside && over !== null && node.contains(over)
            ? "in sight"
            : `${[left, top, right, bottom].map(Math.round).join(" ")} under ${over?.tagName ?? "nothing"} ${over?.className ?? ""}`;
        }),
      { message: what },
    )
    .toBe("in sight");
}
