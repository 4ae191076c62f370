import { expect, test } from "vitest";
import { atRest, describeInBrowser, PHONE } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { asked, begin, consoleWorld, conversation, question } from "./world.ts";

const WRITE = { tool: "Write", input: { file_path: "people.txt", content: "people\n" } };

describeInBrowser("several people at one server", () => {
  const world = consoleWorld();

  test("an answer on one device is on the other at once", async () => {
    const id = await begin(world, [WRITE, { say: "Written for both." }]);
    const path = await asked(world, id);
    const [desktop, pocket] = await Promise.all([world.visit(`/sessions/${id}`), world.visit(path, PHONE)]);
    await question(desktop.page)
      .getByRole("button", { name: /Approve once/ })
      .waitFor();
    const yes = question(pocket.page).getByRole("button", { name: /Approve once/ });
    await yes.tap();
    await question(desktop.page).waitFor({ state: "detached" });
    await conversation(desktop.page).getByText("Written for both.", { exact: true }).waitFor();
    await yes.waitFor({ state: "detached" });
    await desktop.page.waitForFunction(() => !document.title.startsWith("("));
    expect([...desktop.troubles, ...pocket.troubles]).toEqual([]);
  });

  test("an operator has a terminal in the session's folder, and is told what it can do; a viewer has none", async () => {
    const id = await begin(world, [{ say: "Hello." }]);
    await untilTurnEnds(world.client, id);
    const { token } = await world.app.as("operator");
    const { page, troubles } = await world.visit(`/sessions/${id}`, { token });
    await page.getByRole("link", { name: "Terminal" }).click();
    await page.getByText("commands run as the server’s user").waitFor();
    const terminal = page.getByRole("group", { name: "Terminal" });
    await expect.poll(() => terminal.innerText()).toMatch(/[$#]\s*$/m);
    await page.keyboard.type("echo typed-$((40+2)) > typed.txt; cat typed.txt; exit\n");
    await page.getByText("The shell has ended.").waitFor();
    await expect.poll(() => terminal.innerText()).toContain("typed-42");
    expect(await world.read("typed.txt")).toBe("typed-42\n");
    await page.getByRole("button", { name: "Open another terminal" }).click();
    await expect.poll(() => terminal.innerText()).toMatch(/[$#]\s*$/m);
    await page.reload();
    await expect.poll(() => terminal.innerText()).toMatch(/[$#]\s*$/m);
    expect(troubles).toEqual([]);
    const viewer = await world.visit(`/sessions/${id}`, { token: (await world.app.as("viewer")).token });
    await conversation(viewer.page).getByText("Hello.", { exact: true }).waitFor();
    await viewer.page.getByRole("link", { name: "Terminal" }).waitFor({ state: "detached" });
  });

  test("visitors of a page are listed with what they spent, and lose their access with a press", async () => {
    const issuer = await world.app.as("issuer", "Shop");
    const made = await issuer.createToken({ role: "visitor", name: "Ida", subject: "ida-1" });
    await issuer.createToken({ role: "visitor", name: "Ida", subject: "ida-1" });
    const { page, troubles } = await world.visit("/tokens");
    const table = page.getByRole("table", { name: "Visitors" });
    const row = table.getByRole("row", { name: /Ida/ });
    await expect.poll(() => row.count()).toBe(1);
    await expect.poll(() => row.innerText()).toMatch(/Ida[\s\S]*Shop[\s\S]*never[\s\S]*\$0/);
    await row.getByRole("button", { name: "Revoke the access of Ida" }).click();
    await page.getByRole("button", { name: "Revoke access" }).click();
    await page.getByText("No visitors").waitFor();
    const left = await world.client.tokens({ role: "visitor" });
    expect(left.tokens.filter(({ principal_id }) => principal_id === made.principal_id)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test("a viewer sees everything and can change nothing", async () => {
    const id = await begin(world, [WRITE]);
    const path = await asked(world, id);
    const { token } = await world.app.as("viewer");
    const visitor = await world.visit(path, { token });
    const { page } = visitor;
    await page.getByText("can view but not answer").waitFor();
    await expect
      .poll(() =>
        question(page)
          .getByRole("button", { name: /Approve|Reject|Skip|Edit/ })
          .count(),
      )
      .toBe(0);
    // Single keys answer nothing either.
    await atRest(page);
    for (const key of ["a", "Enter", "r", "e"]) await page.keyboard.press(key);
    await atRest(page);
    await page.goto(`${world.app.serving.url}/sessions/${id}`);
    await page.getByText("You can read this session").waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: /^(Stop|Pause|Send|Queue|Fork from here)$/ }).count())
      .toBe(0);
    await page.getByRole("button", { name: "More" }).click();
    await expect.poll(() => page.getByRole("menuitem", { name: /Fork|Change|Close/ }).count()).toBe(0);
    await page.keyboard.press("Escape");
    const main = page.getByRole("navigation", { name: "Main" }).first();
    await expect
      .poll(() => main.getByRole("link").allTextContents())
      .toEqual([
        "Sessions",
        expect.stringMatching(/^Approvals/),
        "Search",
        "Usage",
        "Policy",
        "Long runs",
        "Providers",
        "Tunnels",
        "MCP logins",
        "Workers",
        "Audit",
        "Workbench",
      ]);
    await page.goto(`${world.app.serving.url}/policy`);
    await page.getByText("Only an admin can change it").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /save|New profile/i }).count()).toBe(0);
    await page.goto(`${world.app.serving.url}/tokens`);
    await page.locator("main").getByText(/admin/).first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "New token" }).count()).toBe(0);
    expect((await world.client.approvals({ status: "pending", session_id: id })).approvals).toHaveLength(1);
    expect(visitor.troubles).toEqual([]);
  });

  test("an operator starts, decides and makes tokens, and leaves the policy to admins", async () => {
    const id = await begin(world, [WRITE, { say: "By an operator." }]);
    const ended = untilTurnEnds(world.client, id);
    const path = await asked(world, id);
    const { token } = await world.app.as("operator", "Mara");
    const visitor = await world.visit(path, { token });
    const { page } = visitor;
    const main = page.getByRole("navigation", { name: "Main" }).first();
    await main.getByRole("link", { name: "New session" }).waitFor();
    await expect.poll(() => main.getByRole("link", { name: "Tokens" }).count()).toBe(1);
    await question(page)
      .getByRole("button", { name: /Approve once/ })
      .click();
    const events = await ended;
    const resolved = events.find((event) => event.type === "approval.resolved");
    expect(resolved).toMatchObject({ outcome: "approved", by: { name: "Mara", role: "operator" } });
    await page.goto(`${world.app.serving.url}/policy`);
    await page.getByText("Only an admin can change it").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a token that is taken away signs its owner out", async () => {
    const { id, token } = await world.client.createToken({ role: "operator", name: "guest" });
    const visitor = await world.visit("/sessions", { token });
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
    await world.client.deleteToken(id);
    await visitor.page.reload();
    await visitor.page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});
