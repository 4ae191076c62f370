import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { script, untilTurnEnds } from "../../support/app.ts";
import { isFullRun } from "../../support/sample.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

const MIB = 1_048_576;
/** Every day a long one: the shortest ones take much longer to read, byte by byte. */
const BROKEN = isFullRun ? '{"type":"x"' : `{"type":"x","text":"${"x".repeat(500)}"`;

/** What a broken engine does instead of its work, and what its turn ends with. */
const FLOODS = [
  {
    name: "a line without end",
    does: "head -c 300000000 /dev/zero | tr '\\\\0' x",
    why: "it wrote a line of more than 33554432 bytes",
  },
  {
    name: "lines of junk",
    does: "yes junk | head -c 300000000",
    why: "it wrote more than 1048576 bytes that are no messages",
  },
  {
    name: "broken messages",
    does: `yes '${BROKEN}' | head -c 300000000`,
    why: "it wrote more than 1048576 bytes that are no messages",
  },
  {
    name: "memory",
    does: `exec ${process.execPath} -e 'const all = []; setInterval(() => all.push(Buffer.alloc(33554432, 1)), 5)'`,
    why: "it used more than 256 MiB of memory",
  },
] as const;

let place: Place;
let server: ServerProcess;
beforeAll(async () => {
  place = await makePlace();
  const claude = join(place.workspace, "..", "claude");
  const lines = [
    "#!/bin/sh",
    '[ "$*" = --version ] && { echo "9.9.9 (Claude Code)"; exit; }',
    ". ./flood",
    "sleep 1000",
  ];
  await writeFile(claude, lines.join("\n"));
  await chmod(claude, 0o755);
  server = await startServer(place, { SALLYPORT_CLAUDE: claude, SALLYPORT_ENGINE_MEMORY_MIB: "256" });
});
afterAll(async () => {
  await server.stop();
  await place.remove();
});

/** The most memory that the server ever had, in MiB. */
async function peak(): Promise<number> {
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8");
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024) / MIB;
}

describe.each(["claude-sdk", "claude-cli"])("%s", (engine) => {
  test.each(FLOODS)(
    "$name: the turn fails clearly, the server stays small and answers",
    async ({ name, does, why }) => {
      await writeFile(join(place.workspace, "flood"), `${does}\n`);
      const { client } = server;
      // Each with settings of its own: a process that was made ready for the test before is not taken.
      const { id } = await client.createSession({
        engine,
        system_prompt: name,
        prompt: { text: script({ say: "Never." }) },
      });
      expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({
        type: "turn.failed",
        error: { code: "engine_failed", message: `Claude Code was ended because ${why}. Send the prompt again.` },
      });
      await client.control(id, "close");
      expect(await client.health()).toMatchObject({ status: "ok" });
      expect(await peak()).toBeLessThan(512);
    },
  );

  // Both engines read them in the same way: every day one of them does.
  test.runIf(isFullRun || engine === "claude-sdk")("300 MB of complaints: their end is told", async () => {
    await writeFile(join(place.workspace, "flood"), "yes complaint | head -c 300000000 >&2; exit 3\n");
    const { client } = server;
    const { id } = await client.createSession({
      engine,
      system_prompt: "complaints",
      prompt: { text: script({ say: "Never." }) },
    });
    expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({
      type: "turn.failed",
      error: {
        code: "engine_failed",
        message: expect.stringMatching(/^Claude Code ended unexpectedly, with exit code 3: /),
      },
    });
    await client.control(id, "close");
    expect(await peak()).toBeLessThan(512);
  });
});
