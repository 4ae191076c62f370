import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { consoleWorld, conversation, question } from "./world.ts";

const SCRIPT = `sim: ${JSON.stringify([
  { say: "I will write the note." },
  { tool: "Write", input: { file_path: "note.md", content: `# A note\n\n${"long ".repeat(60)}\n` } },
  { say: "The note is written." },
])}`;

describeInBrowser("on a phone", () => {
  const world = consoleWorld();

  test("a session is started, read along with, and its edit approved with the diff in sight", async () => {
    const visitor = await world.visit("/sessions", PHONE);
    const { page } = visitor;
    const fits = async (): Promise<void> =>
      expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    await page.getByRole("link", { name: "Start a session" }).tap();
    await page.waitForURL("**/new*");
    await page.getByLabel("What should the agent do?").fill(`Write a note\n${SCRIPT}`);
    await fits();
    await page.getByRole("button", { name: "Start session" }).tap();
    await page.waitForURL("**/sessions/ses_*");
    await conversation(page).getByText("I will write the note.", { exact: true }).waitFor();
    const card = question(page);
    await card.getByText("NEW").waitFor();
    await card.getByText("# A note").first().waitFor();
    await fits();
    // The bar tells that somebody is needed, and leads to the inbox.
    await page.getByRole("link", { name: /Approvals.*1/ }).tap();
    await page.waitForURL("**/approvals*");
    await page.getByRole("link", { name: /^Write .*note\.md/ }).tap();
    await card.getByText("# A note").first().waitFor();
    await fits();
    const approve = card.getByRole("button", { name: /Approve once/ });
    await approve.tap();
    await page
      .getByText(/approved/i)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Sessions" }).first().tap();
    await page.getByRole("link", { name: /Write a note/ }).tap();
    await conversation(page).getByText("The note is written.", { exact: true }).waitFor();
    await fits();
    expect(await world.read("note.md")).toContain("# A note");
    expect(visitor.troubles).toEqual([]);
  });

  test("a conversation asks for nothing that only a wide window shows, until somebody opens it", async () => {
    const { id } = await world.client.createSession({ prompt: { text: "help" } });
    await untilTurnEnds(world.client, id);
    const visitor = await world.visit("/approvals", PHONE);
    const { page } = visitor;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${world.app.serving.url}/sessions/${id}`);
    await conversation(page).getByText("Turn ended").waitFor();
    await page.waitForLoadState("networkidle");
    const wide = new Set(["/api/sessions", `/api/sessions/${id}/mcp`, "/api/prices"]);
    expect(asked.filter((path) => wide.has(path))).toEqual([]);
    await page.getByRole("button", { name: "Details" }).tap();
    await page.getByRole("dialog").getByText("Sandbox", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).tap();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Other sessions" }).tap();
    await page.getByRole("dialog").getByRole("link", { name: /help/ }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("what can be pressed is large enough for a finger", async () => {
    const visitor = await world.visit("/sessions", PHONE);
    const { page } = visitor;
    for (const path of [
      "/sessions",
      "/new",
      "/approvals",
      "/search",
      "/usage",
      "/policy",
      "/providers",
      "/workers",
      "/tokens",
      "/audit",
    ]) {
      await page.goto(`${world.app.serving.url}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // What the server has to tell first is there as well.
      await page.locator("main").locator(".animate-spin, .animate-pulse").first().waitFor({ state: "detached" });
      const small = await page.getByRole("button").evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map((one) => ({ name: one.textContent, box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
          .map(({ name, box }) => `${name} ${String(box.width)}×${String(box.height)}`),
      );
      expect([path, small]).toEqual([path, []]);
    }
    expect(visitor.troubles).toEqual([]);
  });
});
