import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSim, type SimServer } from "../../src/sim/index.ts";
import { EXECUTABLE } from "../engines/claude/world.ts";
import { script } from "../support/app.ts";
import { makePlace, type Place } from "../support/server.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): Promise<string> => readFile(join(root, "docs", name), "utf8");
const execute = promisify(execFile);

let place: Place;
let sim: SimServer;
beforeAll(async () => {
  place = await makePlace();
  await writeFile(join(place.workspace, "behind-the-guard.txt"), "");
  sim = await startSim();
});
afterAll(async () => {
  await sim.close();
  await place.remove();
});

/** What Claude Code needs to ask the scripted model, and nothing of the machine. */
const environment = (): Record<string, string | undefined> => ({
  PATH: process.env["PATH"],
  HOME: place.home,
  ANTHROPIC_BASE_URL: sim.url,
  ANTHROPIC_API_KEY: "sk-ant-none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
});

/** Runs an example as it stands. It is TypeScript that is also JavaScript. */
async function run(name: string, words: readonly string[], env = environment()): Promise<string> {
  const program = await read(`examples/${name}`);
  const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", program, ...words], {
    cwd: root,
    env,
    timeout: 60_000,
  });
  return stdout;
}

const commands = script(
  { tool: "Bash", input: { command: "ls", description: "a" } },
  { tool: "Bash", input: { command: "rm -rf important", description: "b" } },
  { say: "Done." },
);
const REFUSED = "Command 'rm' is not in the allowed commands list";

describe("docs/user/embedding.md", () => {
  it("shows the examples as they are", async () => {
    const paper = await read("user/embedding.md");
    for (const name of ["embedded-gateway.ts", "agent-sdk-guard.ts", "claude-settings.json"])
      expect(paper).toContain(await read(`examples/${name}`));
  });

  it("a program with a tool, a hook and its own answers", async () => {
    const steps = ["B-7", "A-1"].map((order) => ({ tool: "mcp__shop__refund", input: { order } }));
    const output = await run("embedded-gateway.ts", [place.home, place.workspace, script(...steps, { say: "Done." })], {
      PATH: process.env["PATH"],
    });
    expect(output).toContain('asked mcp__shop__refund {"type":"generic","summary":"Pays back the order B-7"}');
    expect(output).toContain("B-7 was paid back");
    expect(output).toContain("Denied by policy (disputes): The order A-1 is in dispute.");
  });

  it("the guard as a hook of the Agent SDK, with the real program", async () => {
    const output = await run("agent-sdk-guard.ts", [place.workspace, commands]);
    expect(output).toContain("behind-the-guard.txt");
    expect(output).toContain(REFUSED);
    expect(output).toContain("success");
  });

  it("the guard in Claude Code's own settings, with the real program", async () => {
    const bin = join(place.home, "bin");
    await mkdir(bin, { recursive: true });
    const main = join(root, "dist/cli/main.js");
    await writeFile(join(bin, "sallyport"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    await chmod(join(bin, "sallyport"), 0o755);
    const words = ["-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"];
    const running = execute(
      EXECUTABLE,
      [...words, "--settings", join(root, "docs/examples/claude-settings.json"), "--", commands],
      {
        cwd: place.workspace,
        env: { ...environment(), PATH: `${bin}:${process.env["PATH"] ?? ""}` },
        timeout: 60_000,
      },
    );
    running.child.stdin?.end();
    const { stdout } = await running;
    expect(stdout).toContain("behind-the-guard.txt");
    expect(stdout).toContain(REFUSED);
  });
});
