import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { atRest, describeInBrowser, hasFocus } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { goOffline } from "../../support/offline.ts";
import { asked, begin, consoleWorld, conversation, question } from "./world.ts";

const WRITE = (file: string): object => ({ tool: "Write", input: { file_path: file, content: `${file}\n` } });
const SLOW = { stream: { tokens: 100_000, per_second: 200 } };
/** What has the focus, as a screen reader would name it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return `${element?.tagName ?? ""} ${element?.getAttribute("role") ?? ""}`.trim();
  });

describeInBrowser("the keyboard, and who cannot see the page", () => {
  const world = consoleWorld();

  test("approves, rejects with a reason and stops in a session, and keeps the focus", async () => {
    const id = await begin(world, [WRITE("yes.txt"), WRITE("no.txt"), SLOW]);
    const { page } = await world.visit(`/sessions/${id}`);
    await question(page).getByText("yes.txt").first().waitFor();
    await atRest(page);
    await page.keyboard.press("a");
    await page.getByText("Press again to approve.").waitFor();
    await hasFocus(question(page).getByRole("button", { name: /^Approve once/ }));
    // Escape goes back and does not stop the turn.
    await page.keyboard.press("Escape");
    await question(page)
      .getByRole("button", { name: /^Approve once/ })
      .waitFor();
    await page.keyboard.press("a");
    await page.getByText("Press again to approve.").waitFor();
    await hasFocus(question(page).getByRole("button", { name: /^Approve once/ }));
    await page.keyboard.press("Enter");
    await question(page).getByText("no.txt").first().waitFor();
    await expect.poll(() => focused(page)).not.toBe("BODY");
    await atRest(page);
    await page.keyboard.press("r");
    const reason = page.getByLabel("Why are you rejecting this?");
    await hasFocus(reason);
    await page.keyboard.type("Not");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("this one");
    await page.keyboard.press("Enter");
    await question(page).waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("DIV log");
    const { events } = await world.client.events(id, { limit: 1_000 });
    expect(events.findLast(({ type }) => type === "approval.resolved")).toMatchObject({
      outcome: "rejected",
      feedback: "Not\nthis one",
    });
    await page.getByLabel("Prompt").focus();
    await page.getByRole("button", { name: "Queue", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await conversation(page).getByText("You stopped this turn").waitFor();
  });

  test("the inbox keeps the focus on the answered card", async () => {
    const id = await begin(world, [WRITE("inbox.txt"), { say: "Written." }]);
    const { page } = await world.visit(await asked(world, id));
    await question(page)
      .getByRole("button", { name: /^Approve once/ })
      .focus();
    await page.keyboard.press("Enter");
    await page
      .getByText(/approved by/i)
      .first()
      .waitFor();
    await expect.poll(() => focused(page)).toBe("ARTICLE");
  });

  test("a session that was started has the focus on its page", async () => {
    const { page } = await world.visit("/new");
    await page.getByLabel("What should the agent do?").fill(`Say it\nsim: ${JSON.stringify([{ say: "Said." }])}`);
    // Before it starts, the form says where.
    await page.getByText(`It works in ${world.app.place.workspace}.`).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sessions/ses_*");
    await conversation(page).getByText("Said.", { exact: true }).waitFor();
    await expect.poll(() => focused(page)).not.toBe("BODY");
    await expect.poll(() => page.title()).toMatch(/^(\(\d+\) )?Say it.* · Sallyport$/s);
  });

  test("Home and End reach both ends of a long conversation in one press", async () => {
    const long = Array.from({ length: 40 }, (_, index) => [
      { say: `Part ${String(index)}.\n\n${"words of very different lengths ".repeat((index * 7) % 60)}` },
      { tool: "Glob", input: { pattern: `*.${String(index)}` } },
    ]).flat();
    const id = await begin(world, [...long, { say: "The very end." }], { max_turns: 100 });
    await untilTurnEnds(world.client, id);
    const { page } = await world.visit(`/sessions/${id}`);
    await conversation(page).getByText("The very end.", { exact: true }).waitFor();
    const place = (): Promise<{ top: number; below: number }> =>
      conversation(page).evaluate((log) => ({
        top: Math.round(log.scrollTop),
        below: Math.round(log.scrollHeight - log.clientHeight - log.scrollTop),
      }));
    await conversation(page).focus();
    await page.keyboard.press("Home");
    await expect.poll(async () => (await place()).top).toBe(0);
    await conversation(page).getByText("Part 0.").first().waitFor();
    await page.keyboard.press("End");
    await conversation(page).getByText("The very end.", { exact: true }).waitFor();
    await expect.poll(async () => (await place()).below).toBeLessThanOrEqual(1);
  });

  test("questions and ends of turns are read out, on other pages too", async () => {
    await asked(world, await begin(world, [WRITE("old.txt")]));
    const { page } = await world.visit("/usage");
    // What waited before is no news.
    await page
      .getByRole("link", { name: /^Approvals ?[1-9]/ })
      .first()
      .waitFor();
    const news = page.getByRole("status", { name: "News" });
    const id = await begin(world, [WRITE("news.txt"), { say: "Told." }]);
    await expect.poll(() => news.textContent()).toMatch(/^Approval needed: Write .*news\.txt$/);
    const { approvals } = await world.client.approvals({ status: "pending", session_id: id });
    const [open] = approvals;
    await world.client.decide(open?.id ?? "", { decision: "approve", input_hash: open?.input_hash ?? "" });
    await expect.poll(() => news.textContent()).toMatch(/^Turn ended: /);
  });
});

describeInBrowser("a server or a token that goes away", () => {
  const world = consoleWorld();

  test("an answer that cannot be sent says so at once, and can be given when the server is back", async () => {
    const id = await begin(world, [WRITE("away.txt"), { say: "Back." }]);
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    const approve = question(page).getByRole("button", { name: /^Approve once/ });
    await approve.waitFor();
    await goOffline(page);
    await page.getByText("You are offline.").waitFor();
    await approve.click();
    await question(page).getByText("Not sent: the server can’t be reached.").waitFor();
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBe("false");
    await visitor.context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    await question(page).getByText("Not sent").waitFor({ state: "detached" });
    await approve.click();
    await conversation(page).getByText("Back.", { exact: true }).waitFor();
  });

  test("a revoked token leads to sign-in, and another one back to the same page", async () => {
    const id = await begin(world, [{ say: "Read me." }]);
    const guest = await world.client.createToken({ role: "operator", name: "guest" });
    const { page } = await world.visit(`/sessions/${id}`, { token: guest.token });
    await conversation(page).getByText("Read me.", { exact: true }).waitFor();
    await world.client.deleteToken(guest.id);
    await page.getByText("You were signed out: this token was revoked.").waitFor();
    await page.getByLabel("Link or token").fill("sp_never_existed");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("That token is not valid.").waitFor();
    const other = await world.client.createToken({ role: "operator", name: "other" });
    await page.getByLabel("Link or token").fill(other.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await conversation(page).getByText("Read me.", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`);
  });
});
