import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bubblewrapDriver } from "../../../src/sandbox/index.ts";
import { approveWith, script, untilTurnEnds } from "../../support/app.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { inspectPart } from "./inspection.ts";
import { consoleWorld } from "./world.ts";

const missing = await bubblewrapDriver().missing();

describeInBrowser("deciding on what a session changed", () => {
  const world = consoleWorld({ SALLYPORT_RECORD_FILES: "on" });

  /** A repository of its own below the workspace, and a session with changes to it. */
  async function changed(name: string): Promise<{ readonly id: string; readonly folder: string }> {
    const folder = join(world.app.place.workspace, name);
    const git = (...words: readonly string[]): Buffer =>
      execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words]);
    await mkdir(folder);
    await writeFile(join(folder, "a.txt"), "one\ntwo\nthree\n");
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=all");
    await writeFile(join(folder, ".env"), "KEY=1\n");
    const write = (file_path: string, content: string): object => ({ tool: "Write", input: { file_path, content } });
    const text = script(write("a.txt", "one\n2\nthree\n"), write("src/new.ts", "export {};\n"), { say: "Done." });
    const { id } = await world.client.createSession({
      workspace: folder,
      workspace_mode: "snapshot",
      prompt: { text },
    });
    await untilTurnEnds(world.client, id, { answer: approveWith(world.client) });
    return { id, folder };
  }

  test("from the session to the diff of each file by keys, and into the folder", async () => {
    const { id, folder } = await changed("plain");
    const visitor = await world.visit(`/sessions/${id}`);
    const { page } = visitor;
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByRole("heading", { name: "Changes", level: 1 }).waitFor();
    const files = page.getByRole("navigation", { name: "Changed files" });
    await files.getByRole("button", { name: /a\.txt.*changed/ }).waitFor();
    await page.getByRole("region", { name: "a.txt" }).getByText("two").first().waitFor();
    await page.keyboard.press("]");
    await page.getByRole("region", { name: "src/new.ts" }).getByText("export {};").first().waitFor();
    await page.getByText("1 file was withheld from this session").click();
    await page.getByText(".env", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    const question = page.getByRole("dialog", { name: "Write 2 files into the folder?" });
    await question.getByRole("button", { name: "Apply" }).click();
    await page.getByText("No changes", { exact: true }).waitFor();
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
    expect(visitor.troubles).toEqual([]);
  });

  test("a conflict is shown with both sides; the rest is applied, and all of it committed", async () => {
    const { id, folder } = await changed("conflict");
    await writeFile(join(folder, "a.txt"), "one\ntwo\nTHREE\n");
    const visitor = await world.visit(`/sessions/${id}/changes`, { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await page.getByRole("status").getByText("1 file changed in the folder since the session began").waitFor();
    await page.getByRole("region", { name: "a.txt (this session)" }).waitFor();
    await page.getByRole("region", { name: "a.txt (the folder, meanwhile)" }).getByText("THREE").first().waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);
    await page.getByRole("button", { name: "Commit to a branch" }).click();
    const form = page.getByRole("dialog", { name: "Commit to a branch" });
    await form.getByLabel("Message").fill("");
    await form.getByRole("button", { name: "Commit" }).click();
    await form.getByText("Say what the commit does.").waitFor();
    await form.getByLabel("Branch").fill("theirs");
    await form.getByLabel("Message").fill("What the session did");
    await form.getByRole("button", { name: "Commit" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Apply the other 1 file" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
    const files = page.getByRole("navigation", { name: "Changed files" });
    // Behind the question nothing of the page can be found by its role.
    await files.getByText("a.txt").waitFor();
    await files.getByText("src/new.ts").waitFor({ state: "detached" });
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\nTHREE\n");
    expect(await readFile(join(folder, "src/new.ts"), "utf8")).toBe("export {};\n");
    const shown = execFileSync("git", ["-C", folder, "show", "theirs:a.txt"], { encoding: "utf8" });
    expect(shown).toBe("one\n2\nthree\n");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByText("No changes", { exact: true }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("in the folder itself: a comment for the agent, a part left out, a commit, and back to where it began", async () => {
    const folder = join(world.app.place.workspace, "itself");
    await mkdir(folder);
    const git = (...words: readonly string[]): string =>
      execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
        encoding: "utf8",
      });
    const before = Array.from({ length: 20 }, (_line, at) => `line ${at + 1}\n`).join("");
    const after = before.replace("line 2\n", "second\n").replace("line 18\n", "eighteenth\n");
    await writeFile(join(folder, "a.txt"), before);
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=all");
    const text = script({ tool: "Write", input: { file_path: "a.txt", content: after } }, { say: "See `a.txt`." });
    const { id } = await world.client.createSession({ workspace: folder, prompt: { text } });
    await untilTurnEnds(world.client, id, { answer: approveWith(world.client) });
    const visitor = await world.visit(`/sessions/${id}/changes`);
    const { page } = visitor;
    await page.getByRole("button", { name: "Comment on line 2", exact: true }).last().click();
    const comment = page.getByRole("dialog", { name: "Comment on a line" });
    await comment.getByLabel("Comment").fill("Keep the number.");
    await comment.getByRole("button", { name: "Add comment" }).click();
    await page.getByRole("heading", { name: "1 comment, not sent yet" }).waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);
    await page.getByRole("checkbox", { name: /^Include this part: @@ -15/ }).uncheck();
    await page.getByRole("button", { name: "Commit", exact: true }).click();
    const form = page.getByRole("dialog", { name: "Commit 1 file" });
    expect(await form.getByLabel("Branch").inputValue()).toBe("main");
    expect(await form.getByLabel("Message").inputValue()).toBe("Do as told\n\n- Change a.txt");
    await form.getByRole("button", { name: "Commit" }).click();
    await form.waitFor({ state: "detached" });
    expect(git("show", "main:a.txt")).toBe(before.replace("line 2\n", "second\n"));
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe(after);
    await page.getByText("Go back to an earlier turn").click();
    await page.getByRole("link", { name: /Before the first change/ }).click();
    await page.getByRole("button", { name: "Put 1 file back" }).click();
    await page.getByRole("dialog", { name: "Put 1 file back?" }).getByRole("button", { name: "Put back" }).click();
    await page.getByText("No differences").waitFor();
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe(before);
    await page.goto(page.url().replace(/\/compare.*$/, ""));
    await page.getByRole("log", { name: "Conversation" }).getByRole("link", { name: "a.txt" }).click();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    // The address works by itself.
    await page.reload();
    await page.getByText("line 20").waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test.skipIf(missing !== undefined)("all changes of a turn at once in the inbox, and into the folder", async () => {
    const { folder } = await changed("at-end");
    const text = script({ tool: "Write", input: { file_path: "a.txt", content: "reviewed\n" } }, { say: "Done." });
    const { id } = await world.client.createSession({
      workspace: folder,
      workspace_mode: "worktree",
      sandbox: "bubblewrap",
      review: "at_end",
      prompt: { text },
    });
    const visitor = await world.visit(`/sessions/${id}`, { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await page.getByText("review at the end").waitFor();
    const card = page.getByRole("article", { name: "Review the changes" });
    await card.getByRole("region", { name: "a.txt" }).getByText("reviewed").first().waitFor();
    expect(await inspectPart(page, "article")).toEqual([]);
    await card.getByRole("button", { name: "Apply" }).click();
    await page
      .getByRole("dialog", { name: "Write 1 file into the folder?" })
      .getByRole("button", { name: "Apply" })
      .click();
    await card.waitFor({ state: "detached" });
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("reviewed\n");
    expect(visitor.troubles).toEqual([]);
  });

  test("the form of a new session asks for a snapshot and a review at the end", async () => {
    const { page } = await world.visit("/new");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Works in").selectOption("snapshot");
    await page.getByLabel("Leave out").selectOption("strict");
    await page.getByLabel("Review", { exact: true }).selectOption("at_end");
    await page
      .getByRole("textbox", { name: /^(Prompt|What|Task)/ })
      .first()
      .fill("hello");
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/api/sessions"),
    );
    await page.keyboard.press("Control+Enter");
    const sent: unknown = (await asked).postDataJSON();
    expect(sent).toMatchObject({ workspace_mode: "snapshot", repo_filter: "strict", review: "at_end" });
    // The form's own mode promises a question before each change.
    expect(sent).not.toHaveProperty("permission_mode");
  });
});
