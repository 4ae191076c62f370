import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { begin, consoleWorld, conversation } from "./world.ts";

const TODOS = [
  { content: "read the notes", status: "completed", activeForm: "reading the notes" },
  { content: "write the answer", status: "in_progress", activeForm: "writing the answer" },
];

/** A picture of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

describeInBrowser("a turn in the console", () => {
  const world = consoleWorld();

  test("shows Markdown, a todo list and what the turn used", async () => {
    const id = await begin(world, [
      { tool: "TodoWrite", input: { todos: TODOS } },
      { say: "The **answer** is in `notes.txt`." },
      { usage: { input_tokens: 1_234, output_tokens: 56 } },
    ]);
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const talk = conversation(visitor.page);
    await talk.locator("strong", { hasText: /^answer$/ }).waitFor();
    await talk.locator("code", { hasText: /^notes\.txt$/ }).waitFor();
    const todos = talk.getByRole("listitem").filter({ hasText: /notes|answer/ });
    await expect.poll(() => todos.allTextContents()).toEqual(["done: read the notes", "at work: writing the answer"]);
    const end = talk.getByText(/Turn ended/).locator("..");
    await expect.poll(() => end.innerText()).toMatch(/\d in, \d+ out\s+spent \$\d/);
    expect(visitor.troubles).toEqual([]);
  });

  test("of several plans only the newest is open", async () => {
    const done = TODOS.map((todo) => ({ ...todo, status: "completed" }));
    const id = await begin(world, [
      { tool: "TodoWrite", input: { todos: TODOS } },
      { tool: "TodoWrite", input: { todos: done } },
      { say: "Both are done." },
    ]);
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const plans = conversation(visitor.page).getByRole("button", { name: /^TodoWrite/ });
    await expect
      .poll(() => plans.evaluateAll((all) => all.map((plan) => plan.getAttribute("aria-expanded"))))
      .toEqual(["false", "true"]);
    await expect.poll(() => plans.first().innerText()).toContain("1 of 2 done");
    await plans.first().click();
    await conversation(visitor.page).getByText("at work: writing the answer").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a call's output leads to the files that it names", async () => {
    const command =
      "mkdir -p reports && echo 42 > reports/answer.csv && echo wrote reports/answer.csv, https://a.example/b.csv";
    const id = await begin(world, [{ tool: "Bash", input: { command } }, { say: "Done." }], { autonomy: "full" });
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const call = conversation(visitor.page).getByRole("group", { name: /^Bash: done/ });
    await call.getByRole("button", { name: /^Bash/ }).click();
    const links = call.getByRole("list", { name: "Files in the output" }).getByRole("link");
    await expect.poll(() => links.allTextContents()).toEqual(["reports/answer.csv"]);
    await links.first().click();
    await visitor.page.getByText("42").first().waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a picture that a call's output names is shown in it, and in the files", async () => {
    const command = `echo ${PIXEL} | base64 -d > plot.png && echo not one > fake.png && echo saved "$PWD/plot.png" fake.png gone.png`;
    const id = await begin(world, [{ tool: "Bash", input: { command } }, { say: "Done." }], { autonomy: "full" });
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const call = conversation(visitor.page).getByRole("group", { name: /^Bash: done/ });
    await call.getByRole("button", { name: /^Bash/ }).click();
    const links = call.getByRole("list", { name: "Files in the output" }).getByRole("link");
    await expect.poll(() => links.allTextContents()).toEqual(["plot.png", "fake.png", "gone.png"]);
    const picture = call.getByRole("img", { name: "plot.png" });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await picture.click();
    const shown = visitor.page.getByRole("region", { name: "plot.png" }).getByRole("img", { name: "plot.png" });
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    // A name without such a file is no fault of the page.
    expect(visitor.troubles.filter((trouble) => !trouble.includes("404"))).toEqual([]);
  });

  test("code has its colours and can be copied; formulas and tables are drawn; nothing outside is loaded", async () => {
    const said = [
      "# Answer",
      "```ts\nconst answer: number = 42;\n```",
      "so $$x^2$$",
      "| a | b |\n| --- | ---: |\n| 1 | 2 |",
      "[out](https://a.example/) [in](javascript:alert(1)) ![cat](https://a.example/cat.png) <b>bold</b>",
    ].join("\n\n");
    const id = await begin(world, [{ say: said }]);
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit(`/sessions/${id}`);
    const talk = conversation(visitor.page);
    await talk.getByRole("heading", { name: "Answer", level: 3 }).waitFor();
    await talk.locator("pre span[style*=color]", { hasText: /^const$/ }).waitFor();
    await talk.getByRole("button", { name: "Copy code" }).waitFor();
    await talk.locator(".katex math").waitFor({ state: "attached" });
    await talk.getByRole("cell", { name: "2" }).waitFor();
    await talk.getByRole("button", { name: "Copy table" }).waitFor();
    const links = talk.locator("a[target=_blank]");
    await expect
      .poll(() => links.evaluateAll((all) => all.map((each) => each.getAttribute("href"))))
      .toEqual(["https://a.example/", "https://a.example/cat.png"]);
    await talk.getByText("[image: cat] <b>bold</b>").waitFor();
    expect(visitor.troubles).toEqual([]);
  });
});
