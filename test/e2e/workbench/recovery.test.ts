import { expect, test } from "vitest";
import { describeInBrowser, launchBrowser, Visitor } from "../../support/browser.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer, TEST_TOKEN } from "../../support/server.ts";
import { answers, ask, chat, openChat, openSample, viewer } from "./world.ts";

describeInBrowser("a server that is killed while the workbench is open", () => {
  test("the chat says so, the data stay, and the agent acts there again", async () => {
    const place = await makePlace();
    const port = { SALLYPORT_PORT: String(await ownPort()) };
    let server = await startServer(place, port);
    const browser = await launchBrowser();
    try {
      const { url } = server;
      const visitor = await Visitor.open(browser, { url, token: TEST_TOKEN, path: "/workbench" });
      const { page } = visitor;
      await openSample(page);
      await openChat(page);
      await ask(page, "add a histogram for the Age column");
      await answers(page).getByText("The Histogram for Age is there now.").waitFor();
      await server.kill();
      const away = chat(page).getByText(/The server cannot be reached/);
      await away.waitFor();
      await expect.poll(() => viewer(page, "Histogram of AGE").isVisible()).toBe(true);
      server = await startServer(place, port);
      await away.waitFor({ state: "hidden" });
      await ask(page, "add a box plot of Weight by Sex");
      await answers(page).getByText("The Box plot for Weight and Sex is there now.").waitFor();
      await expect.poll(() => page.getByRole("region", { name: /Box plot/ }).count()).toBe(1);
      expect(visitor.troubles).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
      await place.remove();
    }
  });
});
