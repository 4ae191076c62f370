import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CodexRow } from "../../src/protocol/index.ts";
import { RowReader, type AppRow } from "../../src/protocol/rows.ts";
import { startSim } from "../../src/sim/index.ts";
import { script } from "../support/app.ts";
import { vendorProgram } from "../support/vendor-programs.ts";

const program = vendorProgram("codex");

const CONFIG = (url: string): string => `model = "sim"
model_provider = "sim"
sandbox_mode = "danger-full-access"
[model_providers.sim]
name = "sim"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SIM_KEY"
request_max_retries = 1
stream_max_retries = 1
[features]
plugins = false
unbounded_connection_retries = false
`;

/** The lines of one run of the real program against the scripted model. */
async function printed(...steps: readonly object[]): Promise<string> {
  await using sim = await opened();
  // Not in the folder for temporary files: the program refuses that as its home.
  const home = await mkdtemp(join(homedir(), ".codex-rows-"));
  try {
    const workspace = join(home, "work");
    await mkdir(workspace);
    await writeFile(join(home, "config.toml"), CONFIG(sim.url));
    const words = ["exec", "--json", "--skip-git-repo-check", "-C", workspace, script(...steps)];
    const child = spawn(program ?? "", words, {
      env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, SIM_KEY: "none" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve, reject) => {
      child.on("close", resolve);
      child.on("error", reject);
    });
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function opened(): Promise<{ readonly url: string } & AsyncDisposable> {
  const sim = await startSim();
  return { url: sim.url, [Symbol.asyncDispose]: () => sim.close() };
}

const SCRIPTS: readonly (readonly [string, readonly object[]])[] = [
  [
    "text, thoughts and a command that fails",
    [
      { think: "hm" },
      { say: "I look." },
      { tool: "exec_command", input: { cmd: "echo hi; exit 3" } },
      { say: "Done." },
    ],
  ],
  [
    "a change of files",
    [
      {
        tool: "exec_command",
        input: { cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\nEOF" },
      },
      { say: "Done." },
    ],
  ],
  ["an error of the provider", [{ error: { status: 400 } }]],
];

describe(`what \`codex exec --json\` prints${program === undefined ? " (left out: scripts/programs.mjs brings codex)" : ""}`, () => {
  it.skipIf(program === undefined).each(SCRIPTS)(
    "is what the mapping `codex` says, and the parser reads it: %s",
    async (_, steps) => {
      const text = await printed(...steps);
      const lines = text.trim().split("\n");
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) {
        const row: unknown = JSON.parse(line);
        // Nothing that we do not have, and nothing missing; in the same order too.
        expect(JSON.stringify(CodexRow.parse(row))).toBe(line);
      }
      const reader = new RowReader();
      const rows: readonly AppRow[] = [...reader.push(text), ...reader.end()];
      expect(rows.length).toBe(lines.length);
      expect(rows.filter(({ kind }) => kind === "json" || kind === "text" || kind === "item_lifecycle")).toEqual([]);
    },
  );
});
