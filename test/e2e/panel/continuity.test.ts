import { expect, test } from "vitest";
import { describeInBrowser, launchBrowser, Visitor } from "../../support/browser.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer, TEST_TOKEN } from "../../support/server.ts";
import { openHostSite } from "./host.ts";
import { answers, ask, bubbles, history, input, isIdle, named, panelWorld, press, script } from "./world.ts";

const add = (article: string): string =>
  named(article, { tool: "mcp__shop__add_to_cart", input: { article } }, { say: `It is ${article}.` });

/** What a reader of a beginning takes for something else than it becomes. */
const TRICKY = [
  "A title\n=======",
  "- one\n\n  still one\n\n- two\n  - inner\n\n    deeper\n\n\n- three",
  "1. a\n\n```js\nconst x = 1;\n\n\nconst y = `2`;\n```",
  "| a | b |\n|---|--:|\n| 1 | **2** |\n| `3` | 4 |",
  "> quoted\n> - list\n\n> another",
  "See [this][there] and **bold *both*** and ~~no~~.",
  "<details>\n<summary>x</summary>\n\ntext\n\n</details>",
  "[there]: https://a.example",
  "***",
  "```\nno language\n```",
  "The end.",
].join("\n\n");

describeInBrowser("a chat stays with its tab", () => {
  const world = panelWorld();

  test("a reload brings it back, with the tools of the page", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await ask(page, add("milk"));
    await answers(page).getByText("It is milk.", { exact: true }).waitFor();
    await page.reload();
    await answers(page).getByText("It is milk.", { exact: true }).waitFor();
    await isIdle(page);
    await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("");
    await ask(page, add("bread"));
    await answers(page).getByText("It is bread.", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("bread");
    expect((await world.app.client.sessions()).sessions).toHaveLength(1);
    expect(visitor.troubles).toEqual([]);
  });

  test("an answer that came bit by bit looks as it does when it comes at once", async () => {
    const { page } = await world.visit();
    await ask(page, script({ say: TRICKY }));
    await answers(page).getByText("The end.", { exact: true }).waitFor();
    await isIdle(page);
    const shown = (): Promise<string> =>
      answers(page)
        .locator(".prose")
        .evaluate((prose) => prose.innerHTML);
    const streamed = await shown();
    await page.reload();
    await answers(page).getByText("The end.", { exact: true }).waitFor();
    await expect.poll(shown).toBe(streamed);
    expect(streamed).toContain('<a href="https://a.example/"');
  });

  test("an answer that was under way is there after a reload", async () => {
    const { page } = await world.visit();
    await ask(
      page,
      script({ say: "Begun." }, { tool: "Write", input: { file_path: "r.txt", content: "r" } }, { say: "Ended." }),
    );
    await page.getByRole("button", { name: "Yes" }).waitFor();
    await page.reload();
    await press(page, "Yes");
    await answers(page).getByText("Ended.", { exact: true }).waitFor();
    await expect.poll(() => answers(page).getByText("Begun.", { exact: true }).count()).toBe(1);
  });

  test("a panel that is taken out of its page and put in again goes on", async () => {
    const { page } = await world.visit();
    await ask(page, add("milk"));
    await answers(page).getByText("It is milk.", { exact: true }).waitFor();
    await isIdle(page);
    await page.evaluate(async () => {
      const panel = document.querySelector("sallyport-panel");
      panel?.remove();
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
      if (panel !== null) document.body.prepend(panel);
    });
    await answers(page).getByText("It is milk.", { exact: true }).waitFor();
    await ask(page, add("bread"));
    await answers(page).getByText("It is bread.", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("milk\nbread");
  });

  test("two tabs have two chats, and neither sees the other's calls", async () => {
    const visitor = await world.visit();
    const first = visitor.page;
    const second = await visitor.newPage();
    await second.goto(world.address());
    await ask(first, add("apples"));
    await ask(second, add("pears"));
    await answers(first).getByText("It is apples.", { exact: true }).waitFor();
    await answers(second).getByText("It is pears.", { exact: true }).waitFor();
    const carts = [first, second].map((page) => page.getByRole("list", { name: "Cart" }).innerText());
    expect(await Promise.all(carts)).toEqual(["apples", "pears"]);
    // The chat of the other tab can be read here, but not taken over.
    await press(first, "History");
    await history(first)
      .getByRole("button", { name: /^pears/ })
      .click();
    await first.getByText("This chat is open in another tab.").waitFor();
    await answers(first).getByText("It is pears.", { exact: true }).waitFor();
    await expect.poll(() => input(first).isDisabled()).toBe(true);
    expect(visitor.troubles).toEqual([]);
  });

  test("a tab that was opened from this one, with all that it remembers, has a chat of its own", async () => {
    const visitor = await world.visit();
    const { page } = visitor;
    await ask(page, add("milk"));
    await answers(page).getByText("It is milk.", { exact: true }).waitFor();
    const opening = visitor.context.waitForEvent("page");
    await page.evaluate(() => void open(location.href));
    const other = await opening;
    await other.getByText("Ask something, or begin with one of these.").waitFor();
    await expect.poll(() => bubbles(other).count()).toBe(0);
  });

  test("the history: a chat of before goes on; one that is gone can be read; all can be forgotten", async () => {
    const { page } = await world.visit({ context: "history" });
    await ask(page, add("one"));
    await answers(page).getByText("It is one.", { exact: true }).waitFor();
    await isIdle(page);
    await press(page, "New chat");
    await ask(page, named("Second", { say: "Second chat." }));
    await answers(page).getByText("Second chat.", { exact: true }).waitFor();
    await isIdle(page);
    await press(page, "History");
    await history(page).waitFor();
    await expect.poll(() => history(page).getByRole("listitem").count()).toBe(2);
    await history(page).getByRole("button", { name: /^one/ }).click();
    await answers(page).getByText("It is one.", { exact: true }).waitFor();
    await expect.poll(() => bubbles(page).count()).toBe(1);
    await ask(page, add("two"));
    await answers(page).getByText("It is two.", { exact: true }).waitFor();
    // The server forgets one.
    await page.route("**/api/sessions/*", (route) =>
      route.fulfill({ status: 404, json: { error: { code: "not_found", message: "no such session" } } }),
    );
    await press(page, "History");
    await history(page)
      .getByRole("button", { name: /^Second/ })
      .click();
    await page.getByText("The server does not have this chat any more.").waitFor();
    await answers(page).getByText("Second chat.", { exact: true }).waitFor();
    await page.unroute("**/api/sessions/*");
    await press(page, "History");
    await press(page, "Clear All History");
    await history(page).getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByText("No chats here yet.").waitFor();
    await page.keyboard.press("Escape");
    await history(page).waitFor({ state: "hidden" });
  });
});

describeInBrowser("a server that is stopped", () => {
  test("it is said, nothing is lost, and the chat recovers", async () => {
    const place = await makePlace();
    const [port, sitePort] = [await ownPort(), await ownPort()];
    const environment = { SALLYPORT_PORT: String(port), SALLYPORT_ALLOWED_HOSTS: `127.0.0.1:${sitePort}` };
    let server = await startServer(place, environment);
    const site = await openHostSite({ port: sitePort, served: () => `http://127.0.0.1:${port}` });
    const browser = await launchBrowser();
    try {
      const visitor = await Visitor.arrive(browser);
      const page = await visitor.newPage();
      await page.goto(`${site.url}/?token=${TEST_TOKEN}`);
      await ask(page, add("milk"));
      await answers(page).getByText("It is milk.", { exact: true }).waitFor();
      await isIdle(page);
      await server.stop();
      await page.getByText(/The server cannot be reached\. Trying again/).waitFor();
      await ask(page, add("bread"));
      await page.getByText("Not sent. The server cannot be reached.").waitFor();
      server = await startServer(place, environment);
      await page.getByText(/Trying again/).waitFor({ state: "hidden" });
      await press(page, "Send again");
      await answers(page).getByText("It is bread.", { exact: true }).waitFor();
      await expect.poll(() => page.getByRole("list", { name: "Cart" }).innerText()).toBe("milk\nbread");
      await expect.poll(() => answers(page).count()).toBe(2);
      // A chat that cannot even be begun says so, and begins when it can.
      await press(page, "New chat");
      await server.stop();
      await ask(page, add("eggs"));
      await page.getByText("Not sent. The server cannot be reached.").waitFor();
      server = await startServer(place, environment);
      await press(page, "Send again");
      await answers(page).getByText("It is eggs.", { exact: true }).waitFor();
      expect(visitor.troubles).toEqual([]);
    } finally {
      await browser.close();
      await site.close();
      await server.stop();
      await place.remove();
    }
  });
});
