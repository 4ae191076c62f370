import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { answers, ask, bubbles, conversation, history, input, isIdle, panelWorld, press, script } from "./world.ts";

const ADD = script(
  { say: "I add **milk**." },
  { tool: "mcp__shop__add_to_cart", input: { article: "milk" } },
  { say: "It is in the cart." },
);

interface HostGlobals {
  readonly panel: HTMLElement & {
    readonly sessionId: string | undefined;
    readonly isOpen: boolean;
    prompt(text: string): Promise<void>;
    newChat(): Promise<void>;
    setTools(tools: readonly object[]): void;
  };
  readonly events: readonly { readonly name: string }[];
  readonly addToCart: object;
}

const sessionOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => (globalThis as unknown as HostGlobals).panel.sessionId);
const eventsOf = (page: Page): Promise<readonly { readonly name: string }[]> =>
  page.evaluate(() => [...(globalThis as unknown as HostGlobals).events]);

interface Counts {
  readonly frames: number;
  readonly changes: number;
  readonly settled: number;
}

const countsOf = (page: Page): Promise<Counts> =>
  page.evaluate(() => (globalThis as unknown as { readonly counts: Counts }).counts);

describeInBrowser("a chat in the page of somebody else", () => {
  const world = panelWorld();

  test("what is sent comes into sight over the history, and no costs are shown", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await ask(page, script({ say: "The first." }));
    await answers(page).getByText("The first.").waitFor();
    await isIdle(page);
    await press(page, "History");
    await history(page).waitFor();
    await ask(page, script({ say: "The second." }));
    await history(page).waitFor({ state: "hidden" });
    await answers(page).getByText("The second.").waitFor();
    await isIdle(page);
    await press(page, "History");
    await history(page).waitFor();
    await page.evaluate(() => (globalThis as unknown as HostGlobals).panel.newChat());
    await history(page).waitFor({ state: "hidden" });
    await expect.poll(() => page.getByText(/\$\d/).count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("an answer with a tool of the page: its steps in words, its text in one element", async () => {
    const visitor = await world.visit({ prefix: "## The shop" });
    const { page } = visitor;
    await page.getByText("Ask something, or begin with one of these.").waitFor();
    await ask(page, ADD);
    await answers(page).getByText("It is in the cart.").waitFor();
    await isIdle(page);
    await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("milk");
    await expect.poll(() => answers(page).count()).toBe(1);
    await expect.poll(() => answers(page).locator("strong").innerText()).toBe("milk");
    // The person sees only what they wrote; the model was told more.
    await expect.poll(() => bubbles(page).allInnerTexts()).toEqual([ADD]);
    const id = (await sessionOf(page)) ?? "";
    const { events } = await world.app.client.events(id, { limit: 100 });
    const prompts = events.flatMap((event) => (event.type === "turn.started" ? [event.prompt.text] : []));
    expect(prompts).toEqual([`## The shop\n\nUser request: ${ADD}`]);
    // The step is there to be unfolded.
    const steps = answers(page).locator("details.steps");
    await expect.poll(() => steps.locator("> summary").innerText()).toBe("Adding milk to the cart");
    await steps.locator("> summary").click();
    await steps.locator(".step > summary").click();
    // It is written once it is unfolded.
    const given = answers(page).getByRole("group", { name: "Input" });
    await expect.poll(() => given.innerText()).toBe('{\n  "article": "milk"\n}');
    await expect.poll(() => answers(page).getByRole("group", { name: "Result" }).innerText()).toBe('{"in_cart":1}');
    // The page is told of it all.
    await Promise.all([page.getByText("Thanks for your feedback!").waitFor(), press(page, "Good answer")]);
    const { turn_id } = events.find((event) => event.type === "turn.started") as { readonly turn_id: string };
    await expect
      .poll(() => eventsOf(page))
      .toEqual([
        { name: "session", sessionId: id },
        { name: "answer", sessionId: id, turnId: turn_id, text: "I add **milk**.\n\nIt is in the cart." },
        { name: "feedback", sessionId: id, turnId: turn_id, rating: "up" },
      ]);
    expect(visitor.troubles).toEqual([]);
  });

  test("what is going on is said while it goes on", async () => {
    const { page } = await world.visit();
    await page.evaluate(() => {
      const { panel, addToCart } = globalThis as unknown as HostGlobals;
      const slow = (): Promise<string> =>
        new Promise((resolve) => {
          document.addEventListener("go-on", () => resolve("Done."), { once: true });
        });
      panel.setTools([{ ...addToCart, handler: slow }]);
    });
    await ask(page, ADD);
    await answers(page).getByText("Adding milk to the cart…", { exact: true }).first().waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event("go-on")));
    await answers(page).getByText("It is in the cart.").waitFor();
    await page.locator("details.steps.running").waitFor({ state: "detached" });
  });

  test("a long answer is one element that changes at most once a frame, and only at its end", async () => {
    const { page } = await world.visit();
    await page.evaluate(() => {
      const counts = { frames: 0, changes: 0, settled: 0 };
      Object.assign(globalThis, { counts });
      const frame = (): void => {
        counts.frames += 1;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      const root = (globalThis as unknown as HostGlobals).panel.shadowRoot;
      let first: Element | undefined;
      new MutationObserver((records) => {
        const inProse = records.filter(({ target }) => target instanceof Element && target.closest(".prose") !== null);
        if (inProse.length > 0) counts.changes += 1;
        // The first paragraph is finished as soon as there is a second one: from then on it stays the same element.
        if (first?.isConnected === false) counts.settled += 1;
        const paragraphs = root?.querySelectorAll(".prose > p") ?? [];
        if (paragraphs.length > 1) first ??= paragraphs[0];
      }).observe(root ?? document, { subtree: true, childList: true, characterData: true });
    });
    const words = Array.from({ length: 30 }, (_, index) => ({ say: `Paragraph ${index}.\n\n` }));
    await ask(
      page,
      script(...words.slice(0, 3), { stream: { tokens: 2_000, per_second: 4_000 } }, { say: "\n\nThe end." }),
    );
    await answers(page).getByText("The end.", { exact: true }).waitFor();
    await isIdle(page);
    await expect.poll(() => answers(page).count()).toBe(1);
    // A slow machine draws few frames of it: one without an end is looked at until there are enough.
    await ask(page, script({ stream: { tokens: 5_000, per_second: 50 } }));
    await expect.poll(async () => (await countsOf(page)).changes).toBeGreaterThan(5);
    await press(page, "Stop AI Generation");
    await isIdle(page);
    const counts = await countsOf(page);
    expect(counts.changes).toBeLessThanOrEqual(counts.frames);
    expect(counts.settled).toBe(0);
  });

  test("stop ends the answer; the chat goes on, and tries again", async () => {
    const { page } = await world.visit();
    await ask(page, script({ stream: { tokens: 5_000, per_second: 50 } }));
    await answers(page).locator(".prose").waitFor();
    await press(page, "Stop AI Generation");
    await conversation(page).getByText("Stopped.").waitFor();
    await isIdle(page);
    await ask(page, script({ say: "Here again." }));
    await answers(page).getByText("Here again.", { exact: true }).waitFor();
    await press(page, "Try again");
    await answers(page).nth(2).getByText("Here again.", { exact: true }).waitFor();
    await isIdle(page);
    await expect
      .poll(() => bubbles(page).last().innerText())
      .toBe(`Please try again. ${script({ say: "Here again." })}`);
  });

  test("prompts wait for their turn; a stop holds them until they are sent or discarded", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    const begun = async (): Promise<number> => {
      const { events } = await world.app.client.events((await sessionOf(page)) ?? "", { limit: 1_000 });
      return events.filter(({ type }) => type === "turn.started").length;
    };
    await ask(page, script({ stream: { tokens: 5_000, per_second: 50 } }));
    await answers(page).locator(".prose").waitFor();
    for (const say of ["The second.", "The third."]) await ask(page, script({ say }));
    await expect.poll(() => page.getByText("Waits for its turn").count()).toBe(2);
    await press(page, "Stop AI Generation");
    await isIdle(page);
    await expect.poll(() => page.getByText("Held because you stopped the answer").count()).toBe(2);
    // A stop is no failure, and nothing of it is an alarm.
    await answers(page).locator(".note.plain", { hasText: "Stopped." }).waitFor();
    await expect.poll(() => page.locator(".note.bad").count()).toBe(0);
    expect(await begun()).toBe(1);
    // What is sent now does not wait behind what is held.
    await ask(page, script({ say: "Before them." }));
    await answers(page).getByText("Before them.", { exact: true }).waitFor();
    await isIdle(page);
    expect(await begun()).toBe(2);
    await page.getByRole("button", { name: "Discard" }).first().click();
    await page.getByText("Not sent to the agent").waitFor();
    await press(page, "Send now");
    await answers(page).getByText("The third.", { exact: true }).waitFor();
    await isIdle(page);
    await expect.poll(() => page.getByText(/Waits for its turn|Held because/).count()).toBe(0);
    expect(await begun()).toBe(3);
    await expect.poll(() => answers(page).getByText("The second.", { exact: true }).count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("held prompts are still held after a reload of the page", async () => {
    const { page } = await world.visit();
    await ask(page, script({ stream: { tokens: 5_000, per_second: 50 } }));
    await answers(page).locator(".prose").waitFor();
    await ask(page, script({ say: "Later." }));
    await page.getByText("Waits for its turn").waitFor();
    await press(page, "Stop AI Generation");
    await page.getByText("Held because you stopped the answer").waitFor();
    await page.reload();
    await page.getByText("Held because you stopped the answer").waitFor();
    await press(page, "Send now");
    await answers(page).getByText("Later.", { exact: true }).waitFor();
  });

  test("a new chat is another session without what was said; the one before rests", async () => {
    const { page } = await world.visit();
    await expect.poll(() => page.getByRole("button", { name: "New chat" }).count()).toBe(0);
    await ask(page, script({ stream: { tokens: 5_000, per_second: 50 } }));
    await answers(page).locator(".prose").waitFor();
    const before = (await sessionOf(page)) ?? "";
    await press(page, "New chat");
    await page.getByText("Ask something, or begin with one of these.").waitFor();
    await expect.poll(async () => [await bubbles(page).count(), await sessionOf(page)]).toEqual([0, undefined]);
    for await (const frame of world.app.client.watch(before)) if (frame.type === "turn.failed") break;
    await ask(page, ADD);
    await answers(page).getByText("It is in the cart.").waitFor();
    await expect.poll(() => sessionOf(page)).not.toBe(before);
    await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("milk");
  });

  test("files and pictures go along; what cannot is said", async () => {
    const { page } = await world.visit();
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await page.locator("input[type=file]").setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("remember") },
      { name: "program", mimeType: "application/octet-stream", buffer: Buffer.from([0, 159, 146, 150]) },
    ]);
    await page.getByText("program is neither an image nor text.").waitFor();
    await ask(page, script({ say: "Seen." }));
    await answers(page).getByText("Seen.", { exact: true }).waitFor();
    const prompt = page.getByRole("article", { name: "You" });
    await prompt.getByRole("img", { name: "dot.png" }).waitFor();
    await prompt.getByText("notes.txt").waitFor();
    const { events } = await world.app.client.events((await sessionOf(page)) ?? "", { limit: 100 });
    const sent = events.flatMap((event) => (event.type === "turn.started" ? (event.prompt.attachments ?? []) : []));
    expect(sent).toEqual([
      { type: "image", media_type: "image/png", data: dot, name: "dot.png" },
      { type: "text", text: "remember", name: "notes.txt" },
    ]);
  });

  test("copy: the conversation and a piece of code", async () => {
    const { page } = await world.visit({}, { permissions: ["clipboard-read", "clipboard-write"] });
    const prompt = script({ say: "Look:\n\n```js\n1 + 1\n```" });
    await ask(page, prompt);
    // It is said for a moment only: whoever looks later has missed it.
    await Promise.all([page.getByText("Copied").waitFor(), press(page, "Copy code")]);
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(() => clipboard()).toBe("1 + 1");
    await page.getByText("Copied").waitFor({ state: "detached" });
    await isIdle(page);
    await press(page, "Copy conversation");
    await page.getByText("The conversation was copied.").waitFor({ state: "attached" });
    await expect
      .poll(() => clipboard())
      .toBe(`USER: ${prompt}\n${"-".repeat(50)}\nClaude: Look:\n\n\`\`\`js\n1 + 1\n\`\`\``);
  });

  test("by keyboard alone: open and close, write lines, send, choose a suggestion", async () => {
    const { page } = await world.visit();
    await input(page).waitFor();
    await page.keyboard.press("Control+i");
    await page.getByRole("button", { name: "Open Ask Claude (Ctrl+I)" }).waitFor();
    await expect.poll(() => input(page).count()).toBe(0);
    await page.keyboard.press("Control+i");
    await input(page).waitFor();
    // It has the focus.
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await expect.poll(() => input(page).inputValue()).toBe("one\ntwo");
    await page.keyboard.press("Enter");
    await answers(page).first().waitFor();
    await expect.poll(() => bubbles(page).allInnerTexts()).toEqual(["one\ntwo"]);
    await isIdle(page);
    await press(page, "New chat");
    await page.getByRole("button", { name: "Add milk to my cart" }).press("Enter");
    await answers(page).first().waitFor();
    await expect.poll(() => bubbles(page).allInnerTexts()).toEqual(["Add milk to my cart"]);
  });
});
