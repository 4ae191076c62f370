import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Approval, CreateSession, SessionView } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { describeWithWalls } from "../support/walls.ts";

const AT_END = { sandbox: "bubblewrap", workspace_mode: "worktree", review: "at_end" } as const;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_SANDBOX: "auto" });
  await writeFile(join(app.place.workspace, "a.txt"), "hello\n");
  git("init", "-q");
  git("add", "a.txt");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
});
afterAll(() => app[Symbol.asyncDispose]());

const git = (...words: readonly string[]): string =>
  execFileSync("git", [...words], { cwd: app.place.workspace, encoding: "utf8" });

const write = (file_path: string, content: string): object => ({ tool: "Write", input: { file_path, content } });
const shell = (command: string): object => ({ tool: "Bash", input: { command } });
const inFolder = (name: string): Promise<string> => readFile(join(app.place.workspace, name), "utf8");

/** Plays steps in a new session, and waits until its changes are asked about. */
async function work(
  settings: Partial<CreateSession>,
  ...steps: readonly object[]
): Promise<{ readonly session: SessionView; readonly review: Approval; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const { session, events } = await runScript(
    app.client,
    { ...AT_END, ...settings, prompt: { text: script(...steps, { say: "Done." }) } },
    ({ id, tool, input_hash }) => {
      asked.push(tool);
      return app.client.decide(id, { decision: "reject", input_hash });
    },
  );
  return { session, asked, review: await reviewAfter(session.id, events.at(-1)?.seq ?? 0) };
}

/** The next question about a session's changes. */
async function reviewAfter(id: string, after: number): Promise<Approval> {
  for await (const frame of app.client.watch(id, { after }))
    if (frame.type === "approval.requested" && frame.approval.tool === "Review") return frame.approval;
  throw new Error("nobody was asked");
}

async function lastSeq(id: string): Promise<number> {
  return (await app.client.session(id)).seq;
}

describeWithWalls("a review at the end", () => {
  it("asks nothing but what leaves the walls, then once about everything, and applies it", async () => {
    const { session, review, asked } = await work({}, write("new.txt", "x\n"), shell("echo y >> new.txt; rm a.txt"), {
      tool: "Write",
      input: { file_path: ".git/config", content: "" },
    });
    expect(session.settings).toMatchObject({ review: "at_end", network: "proxy_only" });
    expect(asked).toEqual(["Write"]);
    expect(review).toMatchObject({
      tool: "Review",
      status: "pending",
      unattended: "park",
      preview: {
        type: "changes",
        source: app.place.workspace,
        file_count: 2,
        additions: 2,
        deletions: 1,
        conflicts: 0,
        files: [
          { path: "a.txt", status: "deleted", deletions: 1 },
          { path: "new.txt", status: "added", additions: 2, diff: expect.stringContaining("+x\n+y") },
        ],
      },
    });
    expect(review.expires_at).toBeUndefined();
    expect(await app.client.session(session.id)).toMatchObject({ status: "idle", pending_approvals: [review.id] });
    const { input_hash } = review;
    await expect(app.client.decide(review.id, { decision: "approve", input_hash: "other" })).rejects.toMatchObject({
      code: "input_changed",
    });
    const decided = await app.client.decide(review.id, { decision: "approve", input_hash });
    expect(decided).toMatchObject({ status: "approved", feedback: "Applied 2 files.", resolved_by: { role: "admin" } });
    expect(await inFolder("new.txt")).toBe("x\ny\n");
    await expect(inFolder("a.txt")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(app.client.decide(review.id, { decision: "approve", input_hash })).rejects.toMatchObject({
      code: "already_answered",
    });
    git("checkout", "-q", "a.txt");
  });

  it("commits, discards or leaves the changes for later", async () => {
    const commit = await work({}, write("b.txt", "b\n"));
    const branch = "review/one";
    await expect(answer(commit.review, { updated_input: { action: "commit", branch } })).rejects.toMatchObject({
      code: "invalid_request",
    });
    const decided = await answer(commit.review, { updated_input: { action: "commit", branch, message: "Add b" } });
    expect(decided).toMatchObject({ status: "approved", feedback: expect.stringContaining(`branch ${branch}`) });
    expect(git("show", `${branch}:b.txt`)).toBe("b\n");

    const discard = await work({}, write("c.txt", "c\n"));
    await answer(discard.review, { updated_input: { action: "discard" } });
    expect(await app.client.changes(discard.session.id)).toMatchObject({ files: [] });

    const later = await work({}, write("d.txt", "d\n"));
    await expect(answer(later.review, { scope: "session" })).rejects.toMatchObject({ code: "invalid_request" });
    await app.client.decide(later.review.id, { decision: "reject", input_hash: later.review.input_hash });
    expect(await app.client.session(later.session.id)).toMatchObject({ pending_approvals: [] });
    expect(await app.client.changes(later.session.id)).toMatchObject({ files: [{ path: "d.txt" }] });
  });

  it("asks anew about changes that are no longer those that were shown", async () => {
    const { session, review } = await work({}, write("e.txt", "e\n"));
    const before = await lastSeq(session.id);
    // As a program that the session left behind would.
    await writeFile(join(session.settings.workspace, "e.txt"), "other\n");
    await expect(answer(review, {})).rejects.toMatchObject({ code: "input_changed" });
    const again = await reviewAfter(session.id, before);
    expect(again).toMatchObject({
      replaces: review.id,
      preview: { files: [{ diff: expect.stringContaining("+other") }] },
    });
    expect(await app.client.approval(review.id)).toMatchObject({ status: "cancelled" });
    await expect(inFolder("e.txt")).rejects.toMatchObject({ code: "ENOENT" });
    // Decided elsewhere: a part, and then the rest.
    await writeFile(join(session.settings.workspace, "f.txt"), "f\n");
    const later = await lastSeq(session.id);
    await app.client.applyChanges(session.id, { paths: ["e.txt"] });
    const rest = await reviewAfter(session.id, later);
    expect(rest).toMatchObject({ preview: { files: [{ path: "f.txt" }] } });
    await app.client.discardChanges(session.id, {});
    expect(await app.client.approval(rest.id)).toMatchObject({ status: "approved" });
  });

  it("withdraws the question when the session goes on, and asks again at its end, also after a restart", async () => {
    const { session, review } = await work({}, write("g.txt", "g\n"));
    const before = await lastSeq(session.id);
    await app.client.prompt(session.id, { text: script({ say: "Nothing more." }) });
    await untilTurnEnds(app.client, session.id, { after: before });
    const again = await reviewAfter(session.id, before);
    expect(again.input).toEqual(review.input);
    expect(await app.client.approval(review.id)).toMatchObject({ status: "cancelled" });
    await app.restart();
    expect(await app.client.session(session.id)).toMatchObject({ pending_approvals: [again.id] });
    expect(await answer(again, {})).toMatchObject({ status: "approved" });
    expect(await inFolder("g.txt")).toBe("g\n");
    // Nothing changed since: nobody is asked.
    const after = await lastSeq(session.id);
    await app.client.prompt(session.id, { text: script({ say: "Still nothing." }) });
    for await (const frame of app.client.watch(session.id, { after }))
      if (frame.type === "session.updated" && frame.reviewed !== undefined) break;
    expect(await app.client.session(session.id)).toMatchObject({ pending_approvals: [] });
  });

  it("asks once about turns that follow each other", async () => {
    const session = await app.client.createSession({ ...AT_END, prompt: { text: script(write("q.txt", "1\n")) } });
    await app.client.prompt(session.id, { text: script(write("q.txt", "2\n"), { say: "Done." }) });
    await reviewAfter(session.id, 0);
    const { events } = await app.client.events(session.id, { after: 0, limit: 500 });
    const kinds = events.flatMap(({ type }) => (/^(turn\.completed|approval|error)/.test(type) ? [type] : []));
    expect(kinds).toEqual(["turn.completed", "turn.completed", "approval.requested"]);
  });

  it("leaves the inbox when the session is closed, and its changes stay", async () => {
    const { session, review } = await work({ workspace_mode: "snapshot", network: "none" }, shell("echo h > h.txt"));
    await app.client.control(session.id, "close");
    expect(await app.client.approval(review.id)).toMatchObject({ status: "cancelled" });
    await app.client.applyChanges(session.id, {});
    expect(await inFolder("h.txt")).toBe("h\n");
  });

  it("is nothing that an agent can answer", async () => {
    const { review } = await work({}, write("i.txt", "i\n"));
    const agent = await app.as("agent");
    await expect(agent.decide(review.id, { decision: "approve", input_hash: review.input_hash })).rejects.toMatchObject(
      { code: expect.stringMatching(/forbidden|not_found/) },
    );
    expect(await app.client.approval(review.id)).toMatchObject({ status: "pending" });
  });
});

function answer(
  { id, input_hash }: Approval,
  more: { readonly updated_input?: Approval["input"]; readonly scope?: "session" },
): Promise<Approval> {
  return app.client.decide(id, { decision: "approve", input_hash, ...more });
}
