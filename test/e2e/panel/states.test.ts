import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { answers, ask, bubbles, history, input, isIdle, named, panelWorld, press, script } from "./world.ts";

const checker = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds in the panel, light and dark. */
async function faults(page: Page): Promise<readonly string[]> {
  await page.evaluate(await checker);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => {
      const { axe: run } = globalThis as unknown as { readonly axe: typeof axe };
      return run.run(document, { resultTypes: ["violations"] });
    });
    for (const { id, nodes } of violations)
      found.push(
        ...nodes.map(
          ({ target, failureSummary }) => `${colorScheme}: ${id} ${target.join(" ")} ${failureSummary ?? ""}`,
        ),
      );
  }
  return found;
}

const EVERYTHING = [
  "# A heading\n\nWords, **loud** and `code`, and [a link](https://a.example).",
  "> A quote\n\n- [x] done\n- [ ] open\n\n1. one\n2. two",
  "| a | b |\n|---|--:|\n| 1 | 2 |",
  "```sql\nselect 1\n```\n\n---",
].join("\n\n");

describeInBrowser("every state of the panel", () => {
  const world = panelWorld();

  test("is for everybody: nothing for axe to find, light and dark", async () => {
    const visitor = await world.visit({}, { viewport: { width: 420, height: 800 } });
    const { page } = visitor;
    await page.getByText("Ask something").waitFor();
    expect(await faults(page)).toEqual([]);
    await ask(
      page,
      script({ think: "Hm." }, { tool: "mcp__shop__add_to_cart", input: { article: "milk" } }, { say: EVERYTHING }),
    );
    await answers(page).getByText("select 1").waitFor();
    await isIdle(page);
    await press(page, "Good answer");
    for (const summary of await answers(page).locator("details.steps summary").all()) await summary.click();
    // It is written once it is unfolded.
    await answers(page).getByRole("group", { name: "Result" }).getByText("in_cart").waitFor();
    expect(await faults(page)).toEqual([]);
    await ask(page, script({ tool: "Write", input: { file_path: "a.txt", content: "x\n" } }, { say: "Done." }));
    await press(page, "No…");
    await ask(page, "next");
    await page.getByText("Waits for its turn").waitFor();
    expect(await faults(page)).toEqual([]);
    await press(page, "Stop AI Generation");
    await page.getByText("Not needed any more.").waitFor();
    const questions = [
      {
        question: "Which?",
        header: "H",
        multiSelect: false,
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
      },
    ];
    await isIdle(page);
    await ask(page, script({ tool: "AskUserQuestion", input: { questions } }));
    await page.getByText("The agent asks you").waitFor();
    expect(await faults(page)).toEqual([]);
    await press(page, "History");
    await history(page).waitFor();
    await press(page, "Clear All History");
    await history(page).getByRole("button", { name: "Clear", exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await press(page, "Close the panel");
    expect(await faults(page)).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test("fits 320 px: nothing sticks out", async () => {
    const { page } = await world.visit({}, { viewport: { width: 320, height: 640 } });
    await ask(
      page,
      script(
        { say: `${EVERYTHING}\n\n${"long".repeat(100)}` },
        { tool: "Bash", input: { command: `echo ${"x".repeat(300)}` } },
      ),
    );
    await page.getByText("Run this command?").waitFor();
    const wide = (): Promise<readonly string[]> =>
      page.evaluate(() => {
        const root = document.querySelector("sallyport-panel")?.shadowRoot;
        return [...(root?.querySelectorAll("*") ?? [])].flatMap((element) => {
          const { right, width } = element.getBoundingClientRect();
          const scrolls = element.closest(".scroller, pre") !== null;
          return right > innerWidth + 1 && width > 0 && !scrolls ? [element.className] : [];
        });
      });
    await expect.poll(wide).toEqual([]);
  });

  test("a model's text cannot become anything else", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const hostile = [
      "<script>document.title='owned'</script>",
      "<img src=https://evil.example/x.png onerror=\"document.title='owned'\">",
      "![x](https://evil.example/y.png)",
      "[press](javascript:document.title='owned')",
      "<style>*{display:none}</style><iframe src=https://evil.example></iframe>",
      "The end.",
    ].join("\n\n");
    await ask(page, named("Hostile", { say: hostile }));
    await answers(page).getByText("The end.", { exact: true }).waitFor();
    await isIdle(page);
    expect(await page.title()).toBe("A shop");
    expect(asked.filter((url) => !url.startsWith(world.site.url))).toEqual([]);
    const links = await answers(page)
      .locator("a")
      .evaluateAll((all) =>
        all.map((link) => [link.getAttribute("href"), link.getAttribute("rel"), link.getAttribute("target")]),
      );
    expect(links).toEqual([["https://evil.example/y.png", "noreferrer noopener", "_blank"]]);
    await expect.poll(() => answers(page).locator("script, img, style, iframe").count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("a screen reader hears finished answers, not tokens", async () => {
    const { page } = await world.visit();
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(globalThis, { heard });
      const live = document.querySelector("sallyport-panel")?.shadowRoot?.querySelector("[aria-live=polite]");
      if (live instanceof Element)
        new MutationObserver(() => heard.push(live.textContent ?? "")).observe(live, { childList: true });
    });
    await ask(page, script({ stream: { tokens: 100, per_second: 500 } }, { say: " The end." }));
    await answers(page).getByText("The end.").waitFor();
    await isIdle(page);
    const heard = await page.evaluate(() => (globalThis as unknown as { readonly heard: readonly string[] }).heard);
    expect([heard.length, heard[0]?.endsWith("The end.")]).toEqual([1, true]);
  });

  test("what is spoken is written; what goes wrong is said; without such a browser there is no microphone", async () => {
    const visitor = await world.visit();
    await visitor.context.addInitScript(() => {
      // What a browser would hear.
      class Recognition extends EventTarget {
        start(): void {
          const { said } = globalThis as unknown as {
            readonly said: { readonly text?: string; readonly error?: string };
          };
          const heard = Object.assign(new Event("result"), { results: [[{ transcript: said.text }]] });
          const failed = Object.assign(new Event("error"), { error: said.error });
          this.dispatchEvent(said.error === undefined ? heard : failed);
          this.dispatchEvent(new Event("end"));
        }
        abort(): void {}
      }
      const none = new URLSearchParams(location.search).has("deaf");
      Object.assign(globalThis, {
        SpeechRecognition: none ? undefined : Recognition,
        webkitSpeechRecognition: undefined,
      });
    });
    const { page } = visitor;
    await page.reload();
    const say = async (said: { readonly text?: string; readonly error?: string }): Promise<void> => {
      await page.evaluate((words) => void Object.assign(globalThis, { said: words }), said);
      await press(page, "Speak");
    };
    await say({ text: "add milk" });
    await say({ text: "and bread" });
    await expect.poll(() => input(page).inputValue()).toBe("add milk and bread");
    await say({ error: "not-allowed" });
    await page.getByText("The microphone may not be used.").waitFor();
    await say({ error: "no-speech" });
    await page.getByText("Nothing was heard.").waitFor();
    await page.goto(world.address({ deaf: "" }));
    await page.getByText("Ask something").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Speak" }).count()).toBe(0);
  });

  test("tools that the server refuses: it is said, and the answer comes without them", async () => {
    const { page } = await world.visit({ broken: "" });
    await ask(page, script({ say: "Here." }));
    await page.getByText(/The tools of this page cannot be used: /).waitFor();
    await answers(page).getByText("Here.", { exact: true }).waitFor();
  });

  test("a chat that was closed elsewhere has ended; a new one can be begun", async () => {
    const { page } = await world.visit();
    await ask(page, script({ say: "Here." }));
    await answers(page).getByText("Here.", { exact: true }).waitFor();
    await isIdle(page);
    const id = await page.evaluate(
      () => (document.querySelector("sallyport-panel") as unknown as { readonly sessionId: string }).sessionId,
    );
    await world.app.client.control(id, "close");
    await page.getByText("This chat has ended.").waitFor();
    await expect.poll(() => input(page).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "New chat" }).last().click();
    await ask(page, script({ say: "Again." }));
    await answers(page).getByText("Again.", { exact: true }).waitFor();
    await expect.poll(() => bubbles(page).count()).toBe(1);
  });

  test("a token that the server does not take", async () => {
    const { page } = await world.visit({ token: "sp_nobody" });
    await ask(page, "hello");
    await page.getByText("Not sent. You are signed out.").waitFor();
  });

  test("settings that the server does not take can be mended", async () => {
    const { page } = await world.visit({ session: JSON.stringify({ engine: "nothing" }) });
    await ask(page, script({ say: "Here." }));
    await page.getByText(/^Not sent\. /).waitFor();
    await page.evaluate(() => void delete (globalThis as unknown as { settings: { engine?: string } }).settings.engine);
    await press(page, "Send again");
    await answers(page).getByText("Here.", { exact: true }).waitFor();
  });

  test("a model that does not answer", async () => {
    const { page } = await world.visit();
    await ask(page, script({ error: { status: 400, message: "bad luck" } }));
    await answers(page).locator(".note.bad").waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
  });

  test("a budget that is used up is asked about, and can be raised", async () => {
    await writeFile(
      join(world.app.place.home, "sallyport.yaml"),
      "prices:\n  priced: { input: 1000000, output: 1000000 }\n",
    );
    // A running server takes new prices up within a second or so.
    await expect
      .poll(async () =>
        (await world.app.client.prices({ provider: "sim", model: "priced" })).prices.map(({ from }) => from),
      )
      .toContain("settings");
    const { page } = await world.visit({ session: JSON.stringify({ model: "priced", max_cost_microusd: 1_000 }) });
    await ask(page, script({ say: "Paid." }));
    const question = page.getByRole("region", { name: "The budget is used up. Allow more?" });
    await question.getByRole("textbox", { name: "New limit in dollars" }).fill("nothing");
    await question.getByRole("button", { name: "Set the limit" }).click();
    await question.getByText("Write an amount in dollars, such as 2.50.").waitFor();
    await question.getByRole("textbox", { name: "New limit in dollars" }).fill("90000");
    await question.getByRole("button", { name: "Set the limit" }).click();
    await answers(page).getByText("Paid.", { exact: true }).waitFor();
    await isIdle(page);
    await expect.poll(() => answers(page).locator(".cost").innerText()).toMatch(/^spent \$\d+\.\d\d/);
  });

  test("a budget that is used up, and nobody allows more", async () => {
    const { page } = await world.visit({ session: JSON.stringify({ model: "priced", max_cost_microusd: 1_000 }) });
    await ask(page, script({ say: "Paid." }));
    await page.getByRole("button", { name: "No", exact: true }).click();
    await answers(page).getByText("The budget is used up. Ask an admin for more").waitFor();
  });
});
