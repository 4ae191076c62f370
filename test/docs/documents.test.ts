import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { Autonomy, LIMITS, PERMISSION_MODE_LABELS, PERMISSION_MODES } from "../../src/protocol/index.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The rows of the first table below a heading, without its head. */
function table(paper: string, heading: string): readonly (readonly string[])[] {
  const below = paper.slice(paper.indexOf(heading));
  const lines = below.slice(below.indexOf("\n|") + 1).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe("what the documents want to be written down", () => {
  it("runtime.md says what the container reaches", () => {
    expect(read("docs/user/runtime.md")).toContain("It needs HTTPS to the model's provider (`api.anthropic.com`)");
  });

  it("terminal.md has the three modes with their labels, in the page's order", () => {
    const rows = table(read("docs/user/terminal.md"), "## Permission modes");
    expect(rows.map(([mode, label]) => [mode, label])).toEqual(
      PERMISSION_MODES.map((mode) => [`\`${mode}\``, PERMISSION_MODE_LABELS[mode]]),
    );
    expect(PERMISSION_MODES).toEqual(["bypassPermissions", "sdk", "toolApproval"]);
    expect(Object.values(PERMISSION_MODE_LABELS)).toEqual([
      "Auto Execute",
      "Review & Approve (SDK)",
      "Review & Approve (CLI)",
    ]);
    // When to use each.
    expect(rows.map((row) => row[3])).toEqual([
      "in a folder and with a policy that you would trust to anybody",
      "recommended",
      "kept for old clients; use `sdk`",
    ]);
  });

  it("terminal.md compares the modes", () => {
    const rows = table(read("docs/user/terminal.md"), "## SDK and CLI modes compared");
    expect(rows.map(([what]) => what)).toEqual([
      "reliability",
      "control",
      "session",
      "streaming",
      "performance",
      "needs",
      "key",
      "prompt after prompt",
    ]);
  });

  it("terminal.md helps with the document's four troubles", () => {
    const paper = read("docs/user/terminal.md");
    const help = paper.slice(paper.indexOf("## Troubleshooting"));
    expect([...help.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, words]) => words)).toEqual([
      '"ANTHROPIC_API_KEY not set".',
      "A module is not found.",
      "The modal does not appear for a tool that writes.",
      "The model only describes what it would do.",
    ]);
    expect(help).toContain("`stop_reason`");
  });

  it("the README says how it is installed", () => {
    expect(read("README.md")).toMatch(/^npm start\b/m);
  });

  it("scaling.md says what several servers share", () => {
    const paper = read("docs/operations/scaling.md");
    const rows = table(paper, "So several servers are several homes.");
    expect(rows.map(([what]) => what)).toEqual([
      "sessions, journals, approvals, audit",
      "tokens",
      "policy, providers, prices",
      "budgets",
      "client sessions of `/ws`, idempotency keys",
    ]);
    const [sample = ""] = [...paper.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text ?? "");
    const [set] = parseAllDocuments(sample).map((document) => document.toJS() as Record<string, unknown>);
    expect(set).toMatchObject({ kind: "StatefulSet", spec: { volumeClaimTemplates: [{}] } });
    expect(paper).toContain(`at most ${LIMITS.engineProcesses} at work`);
  });

  it("mount.md tells its autonomy from that of a runtime", () => {
    const paper = read("docs/user/mount.md");
    expect(paper).toContain("It is not the AutonomyLevel of an agent runtime (Supervised, SemiAutonomous, Autonomous)");
    for (const level of Autonomy.options) expect(paper).toContain(`\`${level}\``);
  });

  it("limits.md names the documents' bounds with their own values", () => {
    const rows = table(read("docs/operations/limits.md"), "The documents name some bounds under other words.");
    const values: Readonly<Record<string, number>> = LIMITS;
    expect(Object.fromEntries(rows.map(([what = "", name = ""]) => [what, values[name.replaceAll("`", "")]]))).toEqual({
      "a tool of the page, 30 s": 30_000,
      "approval, 300 s": 300_000,
      "connecting to the runtime, 120 s": 120_000,
      "creating a session, 60 s": 60_000,
      "turns of the model, 15": 15,
      "Bash, 120 s": 120_000,
      "idempotency, 3,600 s": 3_600_000,
      "client sessions, 200": 200,
      "instructions, 8K tokens": 8_000,
      "a tunnel's challenge, 300 s": 300_000,
    });
  });
});
