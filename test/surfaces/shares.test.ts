import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS, type ShareSession } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";

const DAY_MS = 86_400_000;
const CANARY = "sk-ant-api03-canarycanarycanarycanary";

const clock = new MovableClock();
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { clock });
});
afterAll(() => app[Symbol.asyncDispose]());

async function talk(): Promise<string> {
  const { session } = await runScript(
    app.client,
    {
      prompt: {
        text: script(
          { think: "secret thoughts" },
          { tool: "Write", input: { file_path: `${app.place.workspace}/a.txt`, content: "written text\n" } },
          { say: `In ${app.place.workspace} with ${CANARY}.` },
        ),
      },
    },
    approveWith(app.client),
  );
  return session.id;
}

interface Page {
  readonly status: number;
  readonly text: string;
  readonly policy: string | null;
}

/** As anybody, without a token. */
async function open(path: string): Promise<Page> {
  const response = await fetch(`${app.serving.url}${path}`, { headers: { accept: "text/html" } });
  return {
    status: response.status,
    text: await response.text(),
    policy: response.headers.get("content-security-policy"),
  };
}

const ENDED = { status: 404, text: expect.stringContaining("This link does not work") as string };

describe("a share link", () => {
  it("shows prompts and answers to anyone, without thoughts, text of tools, costs, people, secrets or the folder", async () => {
    const id = await talk();
    const { path } = await app.client.exports.share(id);
    const page = await open(path);
    expect(page).toMatchObject({ status: 200, policy: expect.stringContaining("sandbox") as string });
    expect(page.text).toContain("In . with [redacted].");
    expect(page.text).toContain(">Write</p>");
    for (const hidden of ["secret thoughts", "written text", app.place.workspace, CANARY, "first admin"])
      expect(page.text.replace(/<div class="prompt text">[^]*?<\/div>/, "")).not.toContain(hidden);
  });

  it("shows more where its maker said so", async () => {
    const id = await talk();
    const { path } = await app.client.exports.share(id, { tools: true, thoughts: true });
    const { text } = await open(path);
    expect(text).toContain("written text");
    expect(text).toContain("secret thoughts");
  });

  it("shows the session as it was when the link was made", async () => {
    const id = await talk();
    const { path } = await app.client.exports.share(id);
    const { seq } = await app.client.session(id);
    await app.client.prompt(id, { text: script({ say: "Said later." }) });
    await untilTurnEnds(app.client, id, { after: seq });
    expect((await open(path)).text).not.toContain("Said later.");
  });

  it("ends with its time", async () => {
    const id = await talk();
    const { path, expires_at } = await app.client.exports.share(id, { expires_in_s: 3_600 });
    expect(Date.parse(expires_at) - clock.now()).toBeLessThanOrEqual(3_600_000);
    clock.pass(3_599_000);
    expect((await open(path)).status).toBe(200);
    clock.pass(2_000);
    expect(await open(path)).toMatchObject(ENDED);
    expect((await app.client.exports.shares(id)).shares).toEqual([]);
  });

  it("is there after a restart, is listed without its secret, and is revoked", async () => {
    const id = await talk();
    const { path, ...made } = await app.client.exports.share(id, { expires_in_s: (20 * DAY_MS) / 1_000 });
    await app.restart();
    expect((await open(path)).status).toBe(200);
    expect(await app.client.exports.shares(id)).toEqual({ shares: [made] });
    const secret = path.split("/").at(-1) ?? "";
    expect(JSON.stringify((await app.client.audit()).entries)).not.toContain(secret);
    await app.client.exports.revoke(id, made.id);
    expect(await open(path)).toMatchObject(ENDED);
    await expect(app.client.exports.revoke(id, made.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("goes with its session", async () => {
    const id = await talk();
    const { path } = await app.client.exports.share(id);
    await app.client.deleteSession(id);
    expect(await open(path)).toMatchObject(ENDED);
  });

  it.each(["/share/", "/share/x", `/share/${"a".repeat(43)}`, "/share/..%2fapi%2fsessions", "/share/%00"])(
    "%s shows nothing",
    async (path) => {
      const { status, text } = await open(path);
      expect([status, text.includes("session")]).toEqual([404, false]);
    },
  );

  it("is made by operators and admins alone, of a session with an answer in it", async () => {
    const id = await talk();
    for (const role of ["viewer", "agent"] as const) {
      const other = await app.as(role);
      await expect(other.exports.share(id)).rejects.toMatchObject({ code: "forbidden" });
    }
    const operator = await app.as("operator");
    expect((await operator.exports.share(id)).path).toMatch(/^\/share\/[\w-]{43}$/);
    const fresh = await app.client.createSession({});
    await expect(app.client.exports.share(fresh.id)).rejects.toMatchObject({ code: "conflict" });
  });

  it.each<[string, object]>([
    ["no time", { expires_in_s: 0 }],
    ["a year", { expires_in_s: LIMITS.shareMaxS + 1 }],
    ["a field that is not known", { everything: true }],
  ])("is refused with %s", async (_what, request) => {
    const id = await talk();
    await expect(app.client.exports.share(id, request as ShareSession)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
