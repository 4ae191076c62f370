import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CreateSession, SessionContext } from "../../src/protocol/index.ts";
import { approveWith, script, untilTurnEnds } from "../support/app.ts";
import { openRecordedApp, type RecordedApp } from "../support/recorded-model.ts";

let recorded: RecordedApp;
let root: string;
let repository: string;
let workspace: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sallyport-instructions-")));
  repository = join(root, "repository");
  workspace = join(repository, "packages", "one");
  await put(root, {
    "mine.md": "MY-WORDS",
    "CLAUDE.md": "ABOVE-THE-REPOSITORY",
    "repository/CLAUDE.md": "ROOT-WORDS @packages/two/shared.md",
    "repository/packages/two/shared.md": "SHARED-WORDS",
    "repository/packages/one/AGENTS.md": "INNER-WORDS",
    "repository/packages/one/docs/hidden.md": "DENIED-WORDS",
    "repository/packages/one/CLAUDE.md": "@docs/hidden.md",
    "repository/packages/one/.claude/skills/secret/SKILL.md": "---\ndescription: a skill\n---\nSKILL-BODY",
  });
  execFileSync("git", ["init", "-q", repository]);
  execFileSync("git", ["-C", repository, "add", "."]);
  execFileSync("git", ["-C", repository, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "first"]);
  recorded = await openRecordedApp({ user_instructions: join(root, "mine.md"), roots: [root] });
  const { client } = recorded.app;
  await client.setPolicy({
    default_profile: "plain",
    profiles: {
      plain: { for_agents: true },
      silent: { instructions: "off" },
      strict: { deny: ["Read(docs/**)", "Read(.claude/skills/**)"] },
      wide: { extra_read: [repository], for_agents: true },
      "all alone": { autonomy: "full", max_autonomy: "full" },
    },
  });
});
afterAll(async () => {
  await recorded[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function put(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function contextOf(request: CreateSession, client = recorded.app.client): Promise<SessionContext> {
  const { id } = await client.createSession(request);
  return client.sessionContext(id);
}

const paths = ({ files }: SessionContext): readonly string[] => files.map(({ kind, path }) => `${kind} ${path}`);

const INNER = ["instructions AGENTS.md", "instructions CLAUDE.md", "import docs/hidden.md"];
const SKILL = "skill .claude/skills/secret/SKILL.md";

it("folders around the workspace count up to the repository's root, for those who may read there", async () => {
  const user = `user ${join(root, "mine.md")}`;
  const outer = [`instructions ${repository}/CLAUDE.md`, `import ${repository}/packages/two/shared.md`];
  expect(paths(await contextOf({ workspace, sandbox: "local" }))).toEqual([user, ...outer, ...INNER, SKILL]);
  const agent = await recorded.app.as("agent");
  expect(paths(await contextOf({ workspace, sandbox: "local" }, agent))).toEqual([user, ...INNER, SKILL]);
  expect(paths(await contextOf({ workspace, sandbox: "local", profile: "wide" }, agent))).toEqual([
    user,
    ...outer,
    ...INNER,
    SKILL,
  ]);
});

it("a worktree says what stands in it, and nothing around it", async () => {
  const context = await contextOf({ workspace, workspace_mode: "worktree" });
  expect(paths(context).slice(1)).toEqual([...INNER, SKILL]);
});

it("a profile can turn them off, and no session turns them on again", async () => {
  const context = await contextOf({ workspace, profile: "silent", instructions: "auto" });
  expect([context.instructions, context.files, context.left_out]).toEqual(["off", [], []]);
});

it("what the policy denies to Read is not loaded, and no skill is read", async () => {
  const { client } = recorded.app;
  const { id } = await client.createSession({
    workspace,
    profile: "strict",
    prompt: { text: script({ tool: "Skill", input: { skill: "secret" } }, { say: "Done." }) },
  });
  const events = await untilTurnEnds(client, id);
  expect(JSON.stringify([events, recorded.asked])).not.toMatch(/DENIED-WORDS|SKILL-BODY/);
  const { left_out } = await client.sessionContext(id);
  expect(left_out).toEqual([
    { path: "docs/hidden.md", why: "the policy denies it (Read(docs/**))" },
    { path: ".claude/skills/secret/SKILL.md", why: "the policy denies it (Read(.claude/skills/**))" },
  ]);
});

it("an agent that changes what later sessions are told is asked, whatever the autonomy", async () => {
  const { client } = recorded.app;
  const asked: string[] = [];
  const written = ["CLAUDE.md", "sub/AGENTS.md", ".claude/skills/new/SKILL.md", ".claude/commands/new.md", "free.md"];
  const folder = join(root, "written");
  await mkdir(folder);
  const { id } = await client.createSession({
    workspace: folder,
    profile: "all alone",
    autonomy: "full",
    prompt: {
      text: script(...written.map((path) => ({ tool: "Write", input: { file_path: path, content: "x\n" } })), {
        say: "Done.",
      }),
    },
  });
  await untilTurnEnds(client, id, {
    answer: (approval) => {
      asked.push(String(approval.input["file_path"]));
      return approveWith(client)(approval);
    },
  });
  expect(asked).toEqual(written.slice(0, 4));
});

it("the tool Skill is known by its name alone", async () => {
  const { client } = recorded.app;
  const call = (skill: string): object => ({ tool: "Skill", input: { skill } });
  const { id } = await client.createSession({
    workspace,
    prompt: { text: script(call("../../docs"), call("none"), call("secret"), { say: "Done." }) },
  });
  const events = await untilTurnEnds(client, id);
  const outputs = events.flatMap((event) =>
    event.type === "item.completed" && "output" in event.item ? [JSON.stringify(event.item.output)] : [],
  );
  expect(outputs).toEqual([
    expect.stringContaining("a skill's name has letters, digits, _ and -"),
    expect.stringContaining("There is no skill none"),
    expect.stringContaining(`Base folder of this skill: ${workspace}/.claude/skills/secret\\n\\nSKILL-BODY`),
  ]);
});
