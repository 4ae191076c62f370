import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreateSession } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.client.setPolicy({
    default_profile: "full",
    profiles: { small: { tools: ["Read"] }, strict: { deny: ["Bash(git push:*)"] }, watched: { hooks: ["guarded"] } },
  });
});
afterAll(() => app[Symbol.asyncDispose]());

const WRITE = { tool: "Write", input: { file_path: "a.txt", content: "x" } };
const PUSH = { tool: "Bash", input: { command: "git push origin" } };

/** The model reads the true reason, and what it can do about it. */
describe("a refusal that a model reads", () => {
  it.each<[string, CreateSession, object, string]>([
    [
      "plan mode",
      { permission_mode: "plan" },
      WRITE,
      "Denied by policy (mode: plan): This session is in plan mode, which makes no changes, so Write was not run. Read what you need, then answer with the plan: what you would do, step by step.",
    ],
    [
      "plan mode, where the session was also started without the tool",
      { permission_mode: "plan", tools: ["Read"] },
      { tool: "Bash", input: { command: "ls" } },
      "Denied by policy (mode: plan): This session is in plan mode, which makes no changes, so Bash was not run. Read what you need, then answer with the plan: what you would do, step by step.",
    ],
    [
      "plan mode of a session that has no tool to read with",
      { permission_mode: "plan", tools: ["Glob"] },
      { tool: "Read", input: { file_path: "a.txt" } },
      "Denied by policy (session: tools): This session was started without the tool Read. Use the tools that you have, or say which one you need and why.",
    ],
    [
      "the session's tools",
      { tools: ["Read"] },
      WRITE,
      "Denied by policy (session: tools): This session was started without the tool Write. Use the tools that you have, or say which one you need and why.",
    ],
    [
      "the profile's tools",
      { profile: "small" },
      WRITE,
      "Denied by policy (profile small: tools): The profile small does not give the tool Write. Use the tools that you have, or say which one you need and why.",
    ],
    [
      "a rule",
      { profile: "strict" },
      PUSH,
      "Denied by policy (deny Bash(git push:*)): The policy denies Bash(git push:*): the command matches it. Do it in a way that the policy allows, or say what you need and why.",
    ],
    [
      "a path",
      {},
      { tool: "Read", input: { file_path: "/etc/hostname" } },
      "Denied by policy (inside the workspace): Read reads /etc/hostname, which is outside of the workspace. Work inside the workspace, or say which file you need and why.",
    ],
    [
      "autonomy",
      { autonomy: "read_only" },
      WRITE,
      "Denied by policy (read_only): This session is read-only: no tool runs unless the profile allows it by name. Say what you would do, so that a person can do or allow it.",
    ],
    [
      "a mode that never asks",
      { permission_mode: "dontAsk" },
      WRITE,
      "Denied by policy (supervised: write): Write changes files. This session never asks (dontAsk), so it is refused. Say what you would do, so that a person can do or allow it.",
    ],
  ])("says that it was %s", async (_, session, call, text) => {
    expect(await toldTo(session, call)).toBe(text);
  });

  it("says that it was the guard, which command, and what to do", async () => {
    const text = await toldTo({ profile: "watched" }, { tool: "Bash", input: { command: "curl example.org" } });
    expect(text).toMatch(
      /^Denied by policy \(guarded: .+curl.+ Use a command that is allowed, or say what you need and why\.$/,
    );
  });
});

async function toldTo(session: CreateSession, call: object): Promise<string> {
  const { events } = await runScript(app.client, { ...session, prompt: { text: script(call, { say: "ok" }) } });
  const texts = events.flatMap((event) =>
    event.type === "item.completed" && "output" in event.item ? (event.item.output ?? []) : [],
  );
  const [first] = texts;
  return first?.type === "text" ? first.text : "";
}
