import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Approval, SessionView } from "../../src/protocol/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const write = (file_path: string, content = "new\n"): object => ({ tool: "Write", input: { file_path, content } });

async function pending({ client }: TestApp, count: number, session_id?: string): Promise<readonly Approval[]> {
  let found: readonly Approval[] = [];
  await until(async () => {
    const page = await client.approvals({ status: "pending", ...(session_id === undefined ? {} : { session_id }) });
    found = page.approvals.toReversed();
    return found.length === count;
  });
  return found;
}

const begin = ({ client }: TestApp, ...steps: readonly object[]): Promise<SessionView> =>
  client.createSession({ prompt: { text: script(...steps, { say: "Done." }) } });

it("answers several questions of several sessions at once, and says which one it left out", async () => {
  await using app = await openTestApp();
  const sessions = [
    await begin(app, bash("echo one")),
    await begin(app, bash("echo two")),
    await begin(app, write("a.txt")),
  ];
  const asked = await pending(app, 3);
  // The file becomes another one, and somebody else answers the second.
  await writeFile(join(app.place.workspace, "a.txt"), "theirs\n");
  const second = asked.find(({ input }) => input["command"] === "echo two");
  if (second === undefined) throw new Error("no second question");
  await app.client.decide(second.id, { decision: "reject", input_hash: second.input_hash });
  const { results } = await app.client.inbox.decideAll({
    decisions: asked.map(({ id, input_hash }) => ({ id, input_hash, decision: "approve" })),
  });
  const outcome = new Map(results.map(({ id, approval, error }) => [id, approval?.status ?? error?.code]));
  const by = (session: SessionView | undefined): unknown =>
    outcome.get(asked.find(({ session_id }) => session_id === session?.id)?.id ?? "");
  expect(sessions.map(by)).toEqual(["approved", "already_answered", "input_changed"]);
  // What was left out is asked anew, with what it would do now.
  const [anew] = await pending(app, 1);
  expect(anew).toMatchObject({ session_id: sessions[2]?.id, replaces: expect.any(String) });
});

it("marks a question whose file has changed, and shows it anew before it can be approved", async () => {
  await using app = await openTestApp();
  await begin(app, write("a.txt"));
  const [first] = await pending(app, 1);
  if (first === undefined) throw new Error("no question");
  expect((await app.client.approval(first.id)).outdated).toBeUndefined();
  await writeFile(join(app.place.workspace, "a.txt"), "theirs\n");
  expect((await app.client.approval(first.id)).outdated).toBe(true);
  expect((await app.client.inbox.refresh(first.id)).status).toBe("cancelled");
  let next: Approval | undefined;
  await until(async () => {
    [next] = (await app.client.approvals({ status: "pending" })).approvals;
    return next?.replaces === first.id;
  });
  expect(next?.preview).toMatchObject({ type: "diff", file: { original_content: "theirs\n" } });
});

it("gives a question more time, also across its old end, and lets one that expired be asked again", async () => {
  await using app = await openTestApp();
  await app.client.setPolicy({ default_profile: "brief", profiles: { brief: { approval_timeout_ms: 60_000 } } });
  const { id } = await begin(app, bash("echo one"));
  const [asked] = await pending(app, 1);
  if (asked === undefined) throw new Error("no question");
  const extended = await app.client.inbox.extend(asked.id, { ms: 3_600_000 });
  expect(Date.parse(extended.expires_at ?? "") - Date.parse(asked.expires_at ?? "")).toBeGreaterThan(3_000_000);
  // Less than what is left changes nothing.
  expect((await app.client.inbox.extend(asked.id, { ms: 1_000 })).expires_at).toBe(extended.expires_at);
  await expect(app.client.inbox.askAgain(asked.id)).rejects.toMatchObject({ code: "conflict" });
  await app.client.interrupt(id);
  await expect(app.client.inbox.extend(asked.id)).rejects.toMatchObject({ code: "already_answered" });
});

it("lets the agent make a call again whose question expired", async () => {
  await using app = await openTestApp();
  await app.client.setPolicy({ default_profile: "brief", profiles: { brief: { approval_timeout_ms: 1_000 } } });
  const { id } = await begin(app, bash("echo one"));
  await untilTurnEnds(app.client, id, { answer: () => Promise.resolve() });
  const [expired] = (await app.client.approvals({ status: "timed_out" })).approvals;
  if (expired === undefined) throw new Error("nothing expired");
  expect((await app.client.session(id)).expired_approvals).toBe(1);
  const { seq } = await app.client.inbox.askAgain(expired.id);
  const { events } = await app.client.events(id, { after: seq - 1 });
  expect(events[0]).toMatchObject({ type: "turn.started", prompt: { text: expect.stringContaining("echo one") } });
  expect((await app.client.session(id)).expired_approvals).toBeUndefined();
});

it("a broader rule holds until it is taken back, at once", async () => {
  await using app = await openTestApp();
  const { id } = await app.client.createSession({});
  const asked: string[] = [];
  const turn = async (...commands: readonly string[]): Promise<void> => {
    const { seq } = await app.client.prompt(id, { text: script(...commands.map(bash), { say: "Done." }) });
    await untilTurnEnds(app.client, id, {
      after: seq - 1,
      answer: ({ id: approval, input, input_hash, session_rules }) => {
        asked.push(String(input["command"]));
        const rule = session_rules?.find(({ reach }) => reach === "arguments")?.rule;
        return app.client.decide(approval, {
          decision: "approve",
          input_hash,
          ...(rule === undefined ? {} : { scope: "session", rule }),
        });
      },
    });
  };
  await turn("git init -q", "git init --quiet .", "git init --template=/none .");
  expect(asked).toEqual(["git init -q", "git init --template=/none ."]);
  const { grants } = await app.client.session(id);
  expect(grants[0]).toBe("Bash(git init:*)");
  expect((await app.client.inbox.revoke(id, { rule: "Bash(git init:*)" })).grants).not.toContain("Bash(git init:*)");
  await expect(app.client.inbox.revoke(id, { rule: "Bash(git init:*)" })).rejects.toMatchObject({ code: "not_found" });
  asked.length = 0;
  await turn("git init --quiet .");
  expect(asked).toEqual(["git init --quiet ."]);
});

it("takes no rule that was not offered", async () => {
  await using app = await openTestApp();
  await begin(app, bash("git init -q"));
  const [asked] = await pending(app, 1);
  if (asked === undefined) throw new Error("no question");
  const answer = { decision: "approve", input_hash: asked.input_hash, scope: "session", rule: "Bash(git:*)" } as const;
  await expect(app.client.decide(asked.id, answer)).rejects.toMatchObject({ code: "invalid_request" });
  expect((await app.client.approval(asked.id)).status).toBe("pending");
});
