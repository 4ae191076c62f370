import { expect, onTestFinished, test } from "vitest";
import { isTerminal } from "../../../src/protocol/index.ts";
import { describeInBrowser, launchBrowser, Visitor } from "../../support/browser.ts";
import { openTestApp, script } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer, TEST_TOKEN } from "../../support/server.ts";
import { conversation, question } from "./world.ts";

/** The file that draws a diff. */
const DIFF_PART = /\/table-[^/]+\.js$/;

describeInBrowser("a server that is killed while the page is open", () => {
  test("nothing is lost and the page recovers by itself", async () => {
    const place = await makePlace();
    const port = { SALLYPORT_PORT: String(await ownPort()) };
    let server = await startServer(place, port);
    const browser = await launchBrowser();
    try {
      const { url } = server;
      const steps = [
        { say: "Before." },
        { tool: "Write", input: { file_path: "a.txt", content: "a\n" } },
        { say: "After." },
      ];
      const session = await server.client.createSession({ prompt: { text: script(...steps) } });
      const visitor = await Visitor.open(browser, { url, token: TEST_TOKEN, path: `/sessions/${session.id}` });
      const { page } = visitor;
      await conversation(page).getByText("Before.", { exact: true }).waitFor();
      await question(page).waitFor();
      await server.kill();
      await page.getByText("The connection to the server was lost.").waitFor();
      server = await startServer(place, port);
      await page.getByText("The connection to the server was lost.").waitFor({ state: "detached" });
      await question(page)
        .getByRole("button", { name: /Approve once/ })
        .click();
      await conversation(page).getByText("After.", { exact: true }).waitFor();
      await conversation(page).getByText("Turn ended", { exact: true }).waitFor();
      // Each thing is there once.
      for (const text of ["Before.", "After.", "Turn ended"])
        await expect
          .poll(async () => [text, await conversation(page).getByText(text, { exact: true }).count()])
          .toEqual([text, 1]);
      const { events } = await server.client.events(session.id, { limit: 1_000 });
      expect(events.filter(isTerminal)).toHaveLength(1);
      expect(visitor.troubles).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
      await place.remove();
    }
  });

  test("a part of the page that was being loaded when the server went away comes by itself", async () => {
    await using app = await openTestApp();
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const session = await app.client.createSession({
      prompt: { text: script({ tool: "Write", input: { file_path: "a.txt", content: "a line\n" } }) },
    });
    const visitor = await Visitor.open(browser, { url: app.serving.url, token: TEST_TOKEN });
    let asked = 0;
    await visitor.page.route(DIFF_PART, (route) => {
      asked += 1;
      return asked === 1 ? route.abort("connectionrefused") : route.continue();
    });
    await visitor.page.goto(`${app.serving.url}/sessions/${session.id}`);
    await question(visitor.page).getByText("a line").waitFor();
    await question(visitor.page)
      .getByRole("button", { name: /Approve once/ })
      .waitFor();
    expect(asked).toBe(2);
  });
});
