import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { fewOpenFiles, OpenFilesWatch, type OpenFiles } from "../../src/cli/open-files.ts";
import { MovableClock } from "../support/clock.ts";
import { openTestApp } from "../support/app.ts";
import { makePlace, startServer, TEST_TOKEN } from "../support/server.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");
const CHECK_MS = 2_000;

/** Runs a command with a limit of open files. */
function limited(limit: number, words: string): Promise<{ readonly code: unknown; readonly text: string }> {
  return new Promise((done) => {
    execFile("bash", ["-c", `ulimit -n ${limit}; exec "${process.execPath}" "${MAIN}" ${words}`], (error, out, text) =>
      done({ code: error?.code ?? 0, text: out + text }),
    );
  });
}

it("a limit of open files that is too low is said in words, by every command, before anything is loaded", async () => {
  for (const limit of [64, 100, 255]) {
    for (const words of ["serve --port 0", "sessions"])
      expect(await limited(limit, words)).toEqual({
        code: 1,
        text: `error: this process may have ${limit} files and connections open at once (ulimit -n), and Sallyport needs at least 256. In a new shell run \`ulimit -n 4096\` and start again; a service sets LimitNOFILE=4096 (systemd), a container --ulimit nofile=4096 (docker).\n`,
      });
  }
  expect(await limited(256, "--version")).toMatchObject({ code: 0 });
});

/** A process with so many files open; `full`: with no room to look. */
function filesWith(limit: number): OpenFiles & { open: number | "full" } {
  return {
    limit,
    open: 40,
    count() {
      if (this.open === "full") throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return this.open;
    },
  };
}

describe("a process that can hardly open any more files", () => {
  it("says so once, and once more when there is room", () => {
    const clock = new MovableClock({ stands: true });
    const files = filesWith(1_000);
    const lines: unknown[] = [];
    const log = { warn: (fields: object, message: string) => lines.push([fields, message.split(/[:.]/, 1)[0]]) };
    const watch = new OpenFilesWatch({ files, log, after: (ms, callback) => clock.after(ms, callback) });
    const seen: boolean[] = [];
    for (const open of [952, 953, 999, "full", 920, 904, 952] as const) {
      files.open = open;
      clock.pass(CHECK_MS);
      seen.push(watch.isShort);
    }
    watch.close();
    expect(seen).toEqual([false, true, true, true, true, false, false]);
    expect(lines).toEqual([
      [{ open: 953, limit: 1_000 }, "nearly all files and connections that may be open are"],
      [{ open: 904, limit: 1_000 }, "files and connections can be opened again"],
    ]);
    expect([
      fewOpenFiles({ limit: 1_023 }),
      fewOpenFiles({ limit: 1_024 }),
      fewOpenFiles({ limit: undefined }),
    ]).toEqual([expect.stringContaining("1023 files"), undefined, undefined]);
  });

  it("refuses new work and is not ready, and takes it again when there is room", async () => {
    const clock = new MovableClock();
    const openFiles = filesWith(1_000);
    await using app = await openTestApp({}, { clock, openFiles });
    const { client, serving } = app;
    const session = await client.createSession({});
    openFiles.open = "full";
    clock.pass(CHECK_MS);
    const refusal = { code: "limit_reached", details: { retry_after_s: 5 } };
    await expect(client.createSession({})).rejects.toMatchObject(refusal);
    await expect(client.prompt(session.id, { text: "more" })).rejects.toMatchObject(refusal);
    const ready = await fetch(`${serving.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: "not_ready",
        reasons: [{ code: "limit_reached", message: "Nearly all files and connections that may be open are." }],
      },
    ]);
    openFiles.open = 40;
    clock.pass(CHECK_MS);
    await client.createSession({});
    expect((await fetch(`${serving.url}/ready`)).status).toBe(200);
  });

  it("answers a connection that is one too many, and takes the next when others have gone", async () => {
    // Three quarters of what is left beside the reserve: 12.
    await using app = await openTestApp({}, { openFiles: filesWith(64) });
    const { port } = new URL(app.serving.url);
    const held = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = connect(Number(port), "127.0.0.1");
        await once(socket, "connect");
        return socket;
      }),
    );
    const ask = async (path: string): Promise<Response> =>
      fetch(`${app.serving.url}${path}`, { headers: { authorization: `Bearer ${TEST_TOKEN}`, connection: "close" } });
    const refused = await ask("/api/sessions");
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([
      429,
      "5",
      "close",
    ]);
    expect(((await refused.json()) as { error: { code: string } }).error.code).toBe("limit_reached");
    // Whoever watches over the server still learns that it is alive.
    expect((await ask("/health")).status).toBe(200);
    for (const socket of held) socket.destroy();
    await vi.waitUntil(async () => (await ask("/api/sessions")).status === 200);
  });
});

it("a server with few open files says so, and works", async () => {
  const place = await makePlace();
  const server = await startServer(place, {}, { openFiles: 256 });
  const sessions = await Promise.all(
    Array.from({ length: 40 }, () => server.client.createSession({ prompt: { text: "hello" } })),
  );
  expect(sessions.length).toBe(40);
  expect(server.log()).toContain("256 files and connections may be open at once (ulimit -n)");
  await server.stop();
  await place.remove();
});
