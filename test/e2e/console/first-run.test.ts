import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld, conversation, question } from "./world.ts";

describeInBrowser("somebody's first minutes", () => {
  const world = consoleWorld();

  test("from the link to an approved edit", async () => {
    const visitor = await world.visit("/");
    const { page } = visitor;
    await page.waitForURL("**/sessions");
    // The token does not stay in the address.
    expect(page.url()).not.toContain("token");
    await page.getByText("No API key is set, so the demo model answers").waitFor();
    await page
      .getByRole("button", { name: /hello\.txt/ })
      .or(page.getByRole("link", { name: /hello\.txt/ }))
      .first()
      .click();
    // One press: it runs at once.
    await page.waitForURL("**/sessions/ses_*");
    await question(page).waitFor();
    await question(page).getByText("NEW").waitFor();
    await question(page).getByText("Hello world").first().waitFor();
    await page.waitForFunction(() => document.title.startsWith("(1)"));
    await question(page)
      .getByRole("button", { name: /Approve once/ })
      .click();
    await question(page).waitFor({ state: "detached" });
    await conversation(page).getByText("Turn ended").waitFor();
    expect((await world.read("hello.txt")).trim()).toBe("Hello world");
    await page.waitForFunction(() => !document.title.startsWith("("));
    expect(visitor.troubles).toEqual([]);
  });

  test("who comes without a link is asked for a token, and a wrong one is told", async () => {
    const visitor = await world.visit("/sessions", { token: "sp_wrong" });
    const { page } = visitor;
    await page.getByText("That token is not valid.").waitFor();
    await page.getByLabel("Link or token").fill(`${world.app.serving.url}/?token=${world.app.serving.token}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  });
});
