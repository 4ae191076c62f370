import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRedactor, PieceRedactor, type PolicyTest, type Ruling } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const bash = (command: string, profile = "guarded"): Promise<Ruling> =>
  app.client.testPolicy({ profile, tool: "Bash", input: { command } });

describe("POST /api/policy/test runs the real pipeline", () => {
  it.each([
    ["ls -la | grep test", "allow"],
    ["npm install && npm run build", "allow"],
    ['for f in *.js; do cat "$f"; done', "allow"],
    ["npm test 2>&1 | tail -5", "allow"],
    ["chmod +x init.sh && ./init.sh", "allow"],
    ["rm -rf /", "deny"],
    ["ls; echo hi", "deny"],
    ["cat $(rm x)", "deny"],
    ["sh -c 'ls'", "deny"],
    ["chmod 777 x", "deny"],
    ["pkill bash", "deny"],
    ["cat 'unclosed", "deny"],
  ])("guarded: %s", async (command, effect) => {
    expect((await bash(command)).effect).toBe(effect);
  });

  it.each([
    [{ tool: "Read", input: { file_path: "x" } }, "allow", "autonomy"],
    [{ tool: "Write", input: { file_path: "x", content: "y" } }, "ask", "autonomy"],
    [{ tool: "Write", input: { file_path: "/etc/x", content: "y" } }, "deny", "paths"],
    [{ tool: "Read", input: { file_path: "../x" } }, "deny", "paths"],
    [{ tool: "Read", input: {} }, "deny", "schema"],
    [{ tool: "Fly", input: {} }, "deny", "tool"],
    [{ tool: "Bash", input: { command: "ls" }, profile: "readonly" }, "deny", "tool"],
    [{ tool: "Write", input: { file_path: "x", content: "y" }, autonomy: "full" }, "allow", "autonomy"],
    [{ tool: "Read", input: { file_path: "x" }, autonomy: "restricted" }, "ask", "autonomy"],
    [{ tool: "Read", input: { file_path: "x" }, autonomy: "read_only" }, "deny", "autonomy"],
    [{ tool: "WebFetch", input: { url: "https://example.org/", prompt: "?" } }, "deny", "policy"],
    [{ tool: "WebFetch", input: { url: "https://example.org/", prompt: "?" }, profile: "server" }, "allow", "autonomy"],
  ] as const satisfies readonly (readonly [PolicyTest, string, string])[])("%j", async (test, effect, step) => {
    expect(await app.client.testPolicy(test)).toMatchObject({ effect, step });
  });

  it("refuses profiles that do not exist and rules that are none", async () => {
    await expect(bash("ls", "nope")).rejects.toMatchObject({ code: "invalid_request" });
    const profiles = { mine: { deny: ["Bash(("] } };
    await expect(app.client.setPolicy({ default_profile: "mine", profiles })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(app.client.setPolicy({ default_profile: "nope", profiles: {} })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("what the model reads", () => {
  it.each([
    [{ tool: "Fly", input: {} }, "failed", "Unknown tool: Fly"],
    [{ tool: "Read", input: { file_path: "/etc/passwd" } }, "declined", "Denied by policy"],
    [{ tool: "Read", input: { nothing: 1 } }, "failed", "Invalid input for Read"],
  ])("of %j", async (step, status, text) => {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(step, { say: "ok" }) } },
      approveWith(app.client),
    );
    const ended = events.find((event) => event.type === "item.completed" && "tool_use_id" in event.item);
    expect(ended).toMatchObject({
      item: { status, is_error: true, output: [{ text: expect.stringContaining(text) }] },
    });
  });
});

describe("at start", () => {
  it("does not run without a policy file that it cannot read", async () => {
    await using other = await openTestApp();
    await mkdir(join(other.place.home, "policy.yaml"));
    await expect(other.restart()).rejects.toMatchObject({ code: "invalid_request" });
    await rm(join(other.place.home, "policy.yaml"), { recursive: true });
    await writeFile(
      join(other.place.home, "policy.yaml"),
      "default_profile: mine\nprofiles:\n  mine:\n    autonomy: restricted\n",
    );
    await other.restart();
    expect((await other.client.createSession({})).settings).toMatchObject({ profile: "mine", autonomy: "restricted" });
  });
});

describe("the redactor", () => {
  const key = "sk-ant-REDACTME0123456789abcdef";
  it.each([
    [JSON.stringify({ text: `a\n${key}` }), '{"text":"a\\n[redacted]"}'],
    [JSON.stringify({ text: `\t${key}"` }), '{"text":"\\t[redacted]\\""}'],
    [JSON.stringify({ text: 'my "own" secret' }), '{"text":"[redacted]"}'],
    ["nothing here: sk-test sp_short", "nothing here: sk-test sp_short"],
  ])("%s", (text, clean) => {
    expect(makeRedactor(['my "own" secret'])(text)).toBe(clean);
  });
});

describe("the redactor of pieces", () => {
  const secrets = ["exactly-this-secret", 'with "quotes" in it'];
  const texts = [
    "the key is sk-ant-REDACTME0123456789abcdef and that is all",
    "tokens: sp_0123456789012345678901234567890123456789abc, sp_short, sk-test, ask, sp",
    "exactly-this-secret exactly-this-secre exactly-that",
    'a first with "quotes" in it, classes, tasks',
  ];
  it("shows the same text whatever the pieces, and never a secret", () => {
    const redact = makeRedactor(secrets);
    for (const text of texts) {
      for (let size = 1; size <= text.length; size += 1) {
        const pieces = new PieceRedactor(redact);
        let shown = "";
        for (let at = 0; at < text.length; at += size) shown += pieces.next("item", text.slice(at, at + size));
        shown += pieces.end("item");
        expect({ size, shown }).toEqual({ size, shown: redact(text) });
      }
    }
  });

  it("holds nothing back that cannot become one", () => {
    const pieces = new PieceRedactor(makeRedactor(secrets));
    expect(pieces.next("item", "plain words")).toBe("plain word");
    expect(pieces.next("item", " go on")).toBe("s go on");
  });
});

describe("the door", () => {
  it("holds back wrong tokens, never the right one", async () => {
    const attempt = async (token: string): Promise<[number, boolean]> => {
      const response = await fetch(`${app.serving.url}/api/sessions`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.body?.cancel();
      return [response.status, response.headers.has("retry-after")];
    };
    const answers = new Set<string>();
    for (let index = 0; index < 70; index += 1) answers.add((await attempt(`wrong-${index}`)).join(" "));
    expect([...answers]).toEqual(["401 false", "429 true"]);
    expect(await attempt(app.serving.token)).toEqual([200, false]);
  });

  it("refuses a blank prompt in either form", async () => {
    await expect(app.client.createSession({ prompt: { text: "  " } })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(app.client.createSession({ prompt: "  " } as never)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("PUT /api/policy", () => {
  it.each([
    [
      { default_profile: "a", profils: {}, profiles: { a: { alow: [], autonomy: "wild" } } },
      [
        "profils: is not a setting; did you mean profiles?",
        "profiles.a.alow: is not a setting; did you mean allow?",
        "profiles.a.autonomy: must be one of",
      ],
    ],
    [
      { default_profile: "nope", profiles: { a: { deny: ["Bash(", "Read(~/x)"], extra_read: ["docs"] } } },
      [
        "default_profile: nope names no profile",
        "profiles.a.deny.0: the rule Bash( is not valid",
        "profiles.a.deny.1: the rule Read(~/x)",
        "profiles.a.extra_read.0: docs must be an absolute path",
      ],
    ],
  ])("tells every mistake at once and changes nothing: %j", async (policy, words) => {
    const before = await app.client.policy();
    const response = await fetch(`${app.serving.url}/api/policy`, {
      method: "PUT",
      headers: { authorization: `Bearer ${app.serving.token}`, "content-type": "application/json" },
      body: JSON.stringify(policy),
    });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code, words.filter((part) => !error.message.includes(part))]).toEqual([
      400,
      "invalid_request",
      [],
    ]);
    expect(await app.client.policy()).toEqual(before);
  });
});
