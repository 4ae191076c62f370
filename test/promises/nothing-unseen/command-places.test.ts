import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval } from "../../../src/protocol/index.ts";
import { later } from "../../client/page-world.ts";
import { openTestApp, runScript, script, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const at = (name: string): string => join(app.place.workspace, name);
const put = async (name: string, content = "precious\n"): Promise<void> => {
  await mkdir(join(at(name), ".."), { recursive: true });
  await writeFile(at(name), content);
};
const relink = async (target: string, name: string): Promise<void> => {
  await rm(at(name), { force: true });
  await symlink(target, at(name));
};
const read = (name: string): Promise<string> => readFile(at(name), "utf8").catch(() => "(absent)");
const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const approve = ({ id, input_hash }: Approval): Promise<unknown> =>
  app.client.decide(id, { decision: "approve", input_hash }).catch((error: unknown) => error);
const reject = ({ id, input_hash }: Approval): Promise<unknown> =>
  app.client.decide(id, { decision: "reject", input_hash });

async function firstQuestion(session: string): Promise<Approval> {
  for await (const frame of app.client.watch(session)) if (frame.type === "approval.requested") return frame.approval;
  throw new Error("nothing was asked");
}

interface Case {
  readonly name: string;
  readonly before: () => Promise<unknown>;
  readonly command: string;
  readonly swap: () => Promise<unknown>;
  /** Must be there afterwards. */
  readonly untouched: string;
  /** What the second question shows. */
  readonly shows: string;
}

const CASES: readonly Case[] = [
  {
    name: "a folder's link that leads out of the workspace",
    before: async () => {
      await Promise.all([put("a/in/f"), put("../outside-a/f")]);
      await relink("in", "a/link");
    },
    command: "rm -f a/link/f",
    swap: () => relink(at("../outside-a"), "a/link"),
    untouched: "../outside-a/f",
    shows: "outside-a/f",
  },
  {
    name: "a link that a redirect writes through",
    before: async () => {
      await Promise.all([put("b/one"), put("b/two")]);
      await relink("one", "b/link");
    },
    command: "echo PWNED > b/link",
    swap: () => relink("two", "b/link"),
    untouched: "b/two",
    shows: "b/two",
  },
  {
    name: "a file that becomes a link",
    before: async () => {
      await Promise.all([put("c/f"), put("c/target")]);
    },
    command: "true && tee c/f < /dev/null",
    swap: () => relink("target", "c/f"),
    untouched: "c/target",
    shows: "c/target",
  },
  {
    name: "a program of the workspace that is another one",
    before: async () => {
      await Promise.all([put("d/good.sh", "#!/bin/sh\n"), put("d/evil.sh", "#!/bin/sh\nrm -f d/f\n"), put("d/f")]);
      await Promise.all([chmod(at("d/good.sh"), 0o755), chmod(at("d/evil.sh"), 0o755)]);
      await relink("good.sh", "d/run");
    },
    command: "d/run",
    swap: () => relink("evil.sh", "d/run"),
    untouched: "d/f",
    shows: "d/evil.sh",
  },
];

describe("a command leads where its question showed, or is asked about again", () => {
  it.each(CASES)("$name", async (the) => {
    await the.before();
    const asked: Approval[] = [];
    const answers: unknown[] = [];
    await runScript(app.client, { prompt: { text: script(bash(the.command), { say: "Done." }) } }, async (approval) => {
      asked.push(approval);
      if (asked.length > 1) {
        await reject(approval);
        return;
      }
      await the.swap();
      answers.push(await approve(approval));
    });
    expect(await read(the.untouched)).toBe("precious\n");
    expect(answers).toMatchObject([{ code: "input_changed" }]);
    const [first, second] = asked;
    expect(await app.client.approval(first?.id ?? "")).toMatchObject({
      status: "cancelled",
      feedback: "Changed since it was shown.",
    });
    expect(second).toMatchObject({ replaces: first?.id, input: first?.input });
    expect(JSON.stringify(second?.preview)).toContain(the.shows);
  });

  it("asks again when another call of the same message changes it, after the yes", async () => {
    await Promise.all([put("e/one/f"), put("e/two/f")]);
    await relink("one", "e/link");
    const asked: string[] = [];
    const move = later<Approval>();
    await runScript(
      app.client,
      { prompt: { text: script({ tools: [bash("ln -sfn two e/link"), bash("rm -f e/link/f")] }, { say: "Done." }) } },
      async (approval) => {
        const isMove = String(approval.input["command"]).startsWith("ln");
        asked.push(`${isMove ? "ln" : "rm"} ${approval.replaces === undefined ? "first" : "again"}`);
        if (isMove) move.resolve(approval);
        else if (approval.replaces !== undefined) await reject(approval);
        else {
          await approve(approval);
          await approve(await move.promise);
        }
      },
    );
    expect(asked.toSorted()).toEqual(["ln first", "rm again", "rm first"]);
    expect([await read("e/one/f"), await read("e/two/f")]).toEqual(["precious\n", "precious\n"]);
  });

  it("binds an edit that leaves the command as it was shown, and no other", async () => {
    await Promise.all([put("f/one/f"), put("f/two/f")]);
    await relink("one", "f/link");
    const answers: unknown[] = [];
    await runScript(
      app.client,
      { prompt: { text: script(bash("rm -f f/link/f"), { say: "Done." }) } },
      async ({ id, input_hash, input }) => {
        if (answers.length === 0) await relink("two", "f/link");
        const updated_input = {
          ...input,
          ...(answers.length === 0 ? { timeout: 5_000 } : { command: "rm -f f/one/f" }),
        };
        answers.push(
          await app.client
            .decide(id, { decision: "approve", input_hash, updated_input })
            .catch((error: unknown) => error),
        );
      },
    );
    expect(answers).toMatchObject([{ code: "input_changed" }, { status: "approved" }]);
    expect([await read("f/one/f"), await read("f/two/f")]).toEqual(["(absent)", "precious\n"]);
  });

  it("holds after a restart", async () => {
    await Promise.all([put("g/one/f"), put("g/two/f")]);
    await relink("one", "g/link");
    const { id } = await app.client.createSession({
      prompt: { text: script(bash("rm -f g/link/f"), { say: "Done." }) },
    });
    const question = await firstQuestion(id);
    await app.restart();
    await relink("two", "g/link");
    expect(await approve(question)).toMatchObject({ code: "input_changed" });
    expect([await read("g/one/f"), await read("g/two/f")]).toEqual(["precious\n", "precious\n"]);
    await app.client.control(id, "interrupt");
  });

  it("runs at once where only files came and a program is there that was missing", async () => {
    const asked: Approval[] = [];
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(bash("h/made.sh h/new/f"), { say: "Done." }) } },
      async (approval) => {
        asked.push(approval);
        await Promise.all([put("h/made.sh", '#!/bin/sh\necho made > "$1"\n'), put("h/new/other")]);
        await chmod(at("h/made.sh"), 0o755);
        await approve(approval);
      },
    );
    expect([asked.length, await read("h/new/f")]).toEqual([1, "made\n"]);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });
});
