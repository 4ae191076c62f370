import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ShellConnection } from "../../src/client/index.ts";
import { LIMITS, type Failure } from "../../src/protocol/index.ts";
import { openLocalSandbox, openTerminal } from "../../src/sandbox/index.ts";
import { begunSleep, ownSleep, sleeping } from "../conformance/engines/processes.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { makePlace, startServer, TEST_TOKEN } from "../support/server.ts";
import { until } from "../support/until.ts";

const SIZE = { columns: 90, rows: 30 };

/** A terminal whose output can be waited for. */
class Watched {
  text = "";
  end: { readonly failure: Failure | undefined } | undefined;
  readonly shell: ShellConnection;

  constructor(token: string, session: string) {
    this.shell = new ShellConnection({
      url: app.serving.url,
      token,
      session,
      size: SIZE,
      WebSocket,
      events: {
        opened: () => undefined,
        output: (text) => {
          this.text += text;
        },
        ended: (failure) => {
          this.end = { failure };
        },
      },
    });
  }

  async says(words: string | RegExp): Promise<void> {
    await until(() => (typeof words === "string" ? this.text.includes(words) : words.test(this.text)));
  }

  async refusal(): Promise<string | undefined> {
    await until(() => this.end !== undefined);
    return this.end?.failure?.code;
  }
}

let app: TestApp;

describe("a terminal in a session's sandbox", () => {
  beforeAll(async () => {
    app = await openTestApp({ SALLYPORT_SECRET_WORD: "never-shown" });
  });
  afterAll(() => app[Symbol.asyncDispose]());
  const begin = async (): Promise<string> => (await app.client.createSession({})).id;
  const audited = async (session: string) =>
    (await app.client.audit({ limit: 200 })).entries.filter(({ target }) => target === session).toReversed();

  test("runs what is typed, has its size, shows no secret of the server, and is in the audit", async () => {
    const operator = await app.as("operator", "Ada");
    const id = (await operator.createSession({})).id;
    const watched = new Watched(operator.token, id);
    await watched.says(/[$#] $/);
    watched.shell.type("echo result-$((6*7)); stty size; env; pwd\r");
    await watched.says("result-42");
    await watched.says("30 90");
    await watched.says(app.place.workspace);
    watched.shell.resize({ columns: 120, rows: 40 });
    watched.shell.type("stty size\r");
    await watched.says("40 120");
    watched.shell.type("exit 3\r");
    expect(await watched.refusal()).toBeUndefined();
    expect(watched.text).not.toContain("never-shown");
    await until(async () => (await audited(id)).some(({ action }) => action === "shell.close"));
    const entries = (await audited(id)).filter(({ action }) => action.startsWith("shell."));
    expect(entries.map(({ action }) => action).filter((action) => action !== "shell.output")).toEqual([
      "shell.open",
      "shell.close",
    ]);
    expect(entries.every(({ by }) => by.name === "Ada")).toBe(true);
    expect(entries.at(-1)?.details).toMatchObject({ exit_code: 3, left_out_chars: 0 });
    const shown = entries.flatMap(({ details }) => (details as { readonly text?: string }).text ?? []).join("");
    expect(shown).toContain("result-42");
  });

  test("what runs in it ends with the connection, and with the session", async () => {
    const [first, second] = await Promise.all([begin(), begin()]);
    const times = [ownSleep(), ownSleep()] as const;
    const [left, closed] = [new Watched(TEST_TOKEN, first), new Watched(TEST_TOKEN, second)];
    left.shell.type(`sleep ${times[0]}\r`);
    closed.shell.type(`sleep ${times[1]}\r`);
    await Promise.all(times.map((time) => begunSleep(time)));
    left.shell.close();
    await app.client.control(second, "close");
    expect(await closed.refusal()).toBeUndefined();
    for (const time of times) await until(async () => (await sleeping(time)) === undefined);
    const again = new Watched(TEST_TOKEN, second);
    expect(await again.refusal()).toBe("session_closed");
  });

  test("is for operators and admins, where the agent may run commands, a few for each session", async () => {
    const id = await begin();
    for (const role of ["viewer", "agent", "visitor"] as const) {
      expect(await new Watched((await app.as(role)).token, id).refusal()).toBe("forbidden");
    }
    const { id: quiet } = await app.client.createSession({ tools: ["Read"] });
    expect(await new Watched(TEST_TOKEN, quiet).refusal()).toBe("forbidden");
    const open = Array.from({ length: LIMITS.shellsPerSession }, () => new Watched(TEST_TOKEN, id));
    for (const one of open) await one.says(/[$#] $/);
    expect(await new Watched(TEST_TOKEN, id).refusal()).toBe("limit_reached");
    open[0]?.shell.type("exit\r");
    await open[0]?.refusal();
    const next = new Watched(TEST_TOKEN, id);
    await next.says(/[$#] $/);
    for (const one of [...open, next]) one.shell.close();
  });

  test("a program that writes without an end waits for its reader, and can be stopped", async () => {
    const watched = new Watched(TEST_TOKEN, await begin());
    await watched.says(/[$#] $/);
    watched.shell.type("yes flood\r");
    await watched.says("flood");
    watched.shell.type("\u0003");
    watched.shell.type("echo still-$((1+1))\r");
    await watched.says("still-2");
    watched.shell.close();
  });

  test("a prompt that wants to run it sees the same workspace", async () => {
    const { id } = await app.client.createSession({ prompt: { text: script({ say: "Hello." }) } });
    const watched = new Watched(TEST_TOKEN, id);
    await watched.says(/[$#] $/);
    watched.shell.type("touch from-a-person\r");
    await until(async () => (await app.client.files(id, { query: "from-a-person", limit: 1 })).files.length === 1);
    watched.shell.close();
  });
});

test("without Python a terminal still works, at its first size", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-terminal-"));
  for (const program of ["sh", "bash", "script", "base64", "stty"])
    await symlink(join("/usr/bin", program), join(folder, program));
  const sandbox = openLocalSandbox({ sessionId: "ses_terminal", home: folder, marker: "test", path: folder });
  try {
    const terminal = await openTerminal(sandbox, { cwd: folder, size: { rows: 21, columns: 77 } });
    await terminal.type("stty size; exit\n");
    let text = "";
    for await (const bytes of terminal.output) text += bytes.toString();
    expect(text).toContain("21 77");
    expect(await terminal.exit).toMatchObject({ code: 0 });
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true });
  }
});

test("a terminal whose server was killed has an end in the audit of the next one, once", async () => {
  const place = await makePlace();
  let server = await startServer(place);
  const { id } = await server.client.createSession({});
  const opened = await new Promise<ShellConnection>((resolve) => {
    const shell: ShellConnection = new ShellConnection({
      url: server.url,
      token: TEST_TOKEN,
      session: id,
      size: SIZE,
      WebSocket,
      events: { opened: () => resolve(shell), output: () => undefined, ended: () => undefined },
    });
  });
  await server.kill();
  opened.close();
  const noted = async () => {
    const { entries } = await server.client.audit({ limit: 200 });
    return entries
      .filter(({ target, action }) => target === id && action.startsWith("shell.") && action !== "shell.output")
      .toReversed();
  };
  for (const _ of ["the first start after it", "another one"]) {
    server = await startServer(place);
    const [begin, end, ...more] = await noted();
    expect(more).toEqual([]);
    const { shell_id } = Object(begin?.details) as { readonly shell_id?: string };
    expect(shell_id).toMatch(/^sh_/);
    expect(end).toMatchObject({
      action: "shell.close",
      by: begin?.by,
      details: { shell_id, reason: "the server ended before it" },
    });
    await server.kill();
  }
  await place.remove();
});
