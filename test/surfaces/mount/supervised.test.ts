import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { worldOf, type Files } from "./world.ts";

const SETTINGS = `
mounts:
  /claude:
    type: claude
    access: budgeted
    policy:
      blocked_tools: ["Bash(rm:*)", "Write(secret/**)"]
      approval_required_tools: ["Bash"]
  /claude-plain:
    type: claude
    access: budgeted
    policy: { blocked_tools: ["Bash(rm:*)"] }
`;

let app: TestApp;
let agent: Files;
beforeAll(async () => {
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), SETTINGS);
        return () => Promise.resolve();
      },
    },
  );
  agent = await worldOf(app).as("agent");
});
afterAll(() => app[Symbol.asyncDispose]());

const write = (name: string): object => ({ tool: "Write", input: { file_path: name, content: "x" } });
const bash = (command: string): object => ({ tool: "Bash", input: { command } });

/** What became of each call of a turn in which nobody answers. */
async function outcomes(id: string): Promise<readonly unknown[]> {
  const asked: string[] = [];
  const events = await untilTurnEnds(app.client, id, {
    answer: ({ id: approval, tool, input_hash }) => {
      asked.push(tool);
      return app.client.decide(approval, { decision: "reject", input_hash });
    },
  });
  const calls = events.flatMap((event) =>
    event.type === "item.completed" && "tool" in event.item ? [`${event.item.tool} ${event.item.status}`] : [],
  );
  await app.client.control(id, "close");
  return [asked, calls];
}

async function started(mount: string, ...calls: readonly object[]): Promise<string> {
  const { session_id } = await agent.call(`${mount}/new`, { model: "sim", initial_prompt: script(...calls) });
  return session_id ?? "";
}

describe("supervised with approval_required_tools", () => {
  it("asks about exactly those tools; what is denied stays denied", async () => {
    const id = await started("/claude", write("a.txt"), bash("echo hi"), bash("rm a.txt"), write("secret/b.txt"));
    expect(await outcomes(id)).toEqual([
      ["Bash"],
      ["Write completed", "Bash declined", "Bash declined", "Write declined"],
    ]);
    expect(await readFile(join(app.place.workspace, "a.txt"), "utf8")).toBe("x");
  });

  it("still asks about files that decide what programs run, and keeps to the workspace", async () => {
    const id = await started("/claude", write(".git/hooks/pre-commit"), write("/etc/sallyport-test"));
    expect(await outcomes(id)).toEqual([["Write"], ["Write declined", "Write declined"]]);
  });

  it("without that list asks about every change and every program", async () => {
    const id = await started("/claude-plain", write("c.txt"), bash("echo hi"), bash("rm c.txt"));
    expect(await outcomes(id)).toEqual([
      ["Write", "Bash"],
      ["Write declined", "Bash declined", "Bash declined"],
    ]);
  });

  it("holds for sessions of that profile over HTTP; a mode that promises a review has it", async () => {
    const prompt = { text: script(write("d.txt"), bash("echo hi")) };
    const { id } = await app.client.createSession({ profile: "mount:/claude", prompt });
    expect(await outcomes(id)).toEqual([["Bash"], ["Write completed", "Bash declined"]]);
    const reviewed = await app.client.createSession({ profile: "mount:/claude", permission_mode: "sdk", prompt });
    expect(await outcomes(reviewed.id)).toEqual([
      ["Write", "Bash"],
      ["Write declined", "Bash declined"],
    ]);
    const restricted = await app.client.createSession({ profile: "mount:/claude", autonomy: "restricted", prompt });
    expect(await outcomes(restricted.id)).toEqual([
      ["Write", "Bash"],
      ["Write declined", "Bash declined"],
    ]);
  });

  it("keeps hooks: what the guard refuses is refused", async () => {
    const policy = await app.client.policy();
    const guarded = {
      ask: ["Write"],
      ask_only_listed: true,
      hooks: ["guarded" as const],
      autonomy: "supervised" as const,
    };
    await app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, "listed-guard": guarded } });
    const prompt = { text: script(bash("ls"), bash("curl http://example.org"), write("e.txt")) };
    const { id } = await app.client.createSession({ profile: "listed-guard", prompt });
    expect(await outcomes(id)).toEqual([["Write"], ["Bash completed", "Bash declined", "Write declined"]]);
  });
});

describe("the policy file", () => {
  it("written back as it was read changes nothing; a list makes it exact", async () => {
    const admin = worldOf(app).admin;
    const profile = async (): Promise<unknown> => (await app.client.policy()).profiles["mount:/claude-plain"];
    const before = await profile();
    const read = await admin.json("/claude-plain/policy");
    await admin.write("/claude-plain/policy", read);
    expect(await profile()).toEqual(before);
    await admin.write("/claude-plain/policy", { ...read, approval_required_tools: ["Bash"] });
    expect(await profile()).toMatchObject({ ask: ["Bash"], ask_only_listed: true });
    const id = await started("/claude-plain", write("f.txt"), bash("echo hi"));
    expect(await outcomes(id)).toEqual([["Bash"], ["Write completed", "Bash declined"]]);
  });

  it("does not make a profile exact that only had rules that ask", async () => {
    const admin = worldOf(app).admin;
    const policy = await app.client.policy();
    const profiles = { ...policy.profiles, "mount:/claude-plain": { ask: ["WebFetch"], for_agents: true } };
    await app.client.setPolicy({ ...policy, profiles });
    await admin.write("/claude-plain/policy", await admin.json("/claude-plain/policy"));
    const id = await started("/claude-plain", write("g.txt"));
    expect(await outcomes(id)).toEqual([["Write"], ["Write declined"]]);
  });
});
