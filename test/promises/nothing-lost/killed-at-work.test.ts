import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SallyportClient } from "../../../src/client/index.ts";
import { examineDatabase } from "../../../src/store/sqlite/examine.ts";
import { approveWith, runScript, script } from "../../support/app.ts";
import { journalOf } from "../../support/journals.ts";
import { sample } from "../../support/sample.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

const MAIN = resolve("dist/cli/main.js");
const KILLER = resolve("test/support/kill-at.mjs");

/** Every day so many kills of each kind of work, spread over it. In a full run one at each call that changes something. */
const EVERYDAY = 1;

/** A full run has dozens of lives in one test. */
const FULL_MS = 3_600_000;

/** What a program is told: before which of its calls it dies. */
class Plan {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(place: Place) {
    this.#file = join(place.home, "..", "kill");
    this.environment = { NODE_OPTIONS: `--import=${KILLER}`, SALLYPORT_TEST_KILL: this.#file };
  }

  /** From now on. 0: it does not die, its calls are counted. */
  begin(call: number): Promise<void> {
    return writeFile(this.#file, String(call));
  }

  end(): Promise<void> {
    return rm(this.#file, { force: true });
  }

  async count(): Promise<number> {
    return Number(await readFile(`${this.#file}.count`, "utf8").catch(() => "0"));
  }
}

/** The calls before which it dies. */
function killsOf(count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  // The last one is where most is done and least is kept.
  return sample(all.toReversed(), EVERYDAY);
}

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
    encoding: "utf8",
  }).trim();

describe("the server is killed while it", () => {
  /** Does some work once whole, then once for each kill; then once more with the next server, as a person would who got no answer. */
  async function killedIn({
    place,
    work,
    sound,
    isDatabaseAlone = false,
  }: {
    readonly place: Place;
    readonly work: (server: ServerProcess, round: number) => Promise<unknown>;
    readonly sound: (server: ServerProcess, round: number) => Promise<void>;
    /** The work changes no file of its own; what the server does beside it may. */
    readonly isDatabaseAlone?: boolean;
  }): Promise<void> {
    const plan = new Plan(place);
    let server = await startServer(place, plan.environment);
    await plan.begin(0);
    await work(server, 0);
    await plan.end();
    const count = await plan.count();
    if (!isDatabaseAlone) expect(count).toBeGreaterThan(0);
    for (const [index, call] of killsOf(count).entries()) {
      // Each life counts its own calls.
      await server.stop();
      server = await startServer(place, plan.environment);
      await plan.begin(call);
      await Promise.race([work(server, index + 1).catch(() => undefined), server.exited]);
      await plan.end();
      await server.kill();
      server = await startServer(place, plan.environment);
      await sound(server, index + 1);
    }
    await server.stop();
  }

  it(
    "commits and pushes: the branch is whole or not there, and the same is done again",
    async () => {
      await using place = disposable(await makePlace());
      const { workspace, home } = place;
      const bare = join(home, "..", "bare.git");
      await writeFile(join(workspace, "a.txt"), "a\n");
      git(workspace, "init", "--quiet", "--initial-branch=main");
      git(workspace, "add", "--all");
      git(workspace, "commit", "--quiet", "--message=first");
      execFileSync("git", ["init", "--quiet", "--bare", bare]);
      git(workspace, "remote", "add", "origin", bare);
      const sessions = new Map<number, string>();
      const push = async ({ client }: ServerProcess, round: number): Promise<void> => {
        let id = sessions.get(round);
        if (id === undefined) {
          const write = { tool: "Write", input: { file_path: "a.txt", content: `a ${round}\n` } };
          const prompt = { text: script(write, { say: "Done." }) };
          const made = await runScript(client, { workspace_mode: "worktree", prompt }, approveWith(client));
          ({ id } = made.session);
          sessions.set(round, id);
        }
        const branch = `work-${round}`;
        const { branches } = await client.reviews.publishing(id);
        const known = branches.find((each) => each.branch === branch);
        const { commit = "" } = known ?? (await client.commitChanges(id, { branch, message: `Round ${round}` }));
        await client.reviews.push(id, { branch, commit, remote: "origin", url: bare });
      };
      const sound = async (server: ServerProcess, round: number): Promise<void> => {
        const branch = `work-${round}`;
        for (const folder of [workspace, bare]) {
          // It fails where an object is missing or broken.
          git(folder, "fsck", "--strict", "--no-dangling");
          const text = git(folder, "branch", "--list", branch) === "" ? "" : git(folder, "show", `${branch}:a.txt`);
          expect(["", `a ${round}`]).toContain(text);
        }
        await push(server, round);
        expect(git(bare, "show", `${branch}:a.txt`)).toBe(`a ${round}`);
        expect(git(bare, "log", "--format=%s", branch).split("\n")).toEqual([`Round ${round}`, "first"]);
      };
      await killedIn({ place, work: push, sound });
    },
    FULL_MS,
  );

  it.each(["session.decided", "session.durable"])(
    "imports a conversation, at %s: it is there once and whole, or not at all",
    async (point) => {
      await using place = disposable(await makePlace());
      const turns = [{ prompt: "Do it.", items: [{ type: "message" as const, text: "It was done." }] }];
      const take = ({ client }: ServerProcess): Promise<unknown> =>
        client.exports.import({ conversation: { source: "claude-code", turns } }, { key: "import-1" });
      const server = await startServer(place, { SALLYPORT_CRASH_AT: point });
      await expect(take(server)).rejects.toThrow();
      await server.exited;
      const next = await startServer(place);
      await take(next);
      const { sessions } = await next.client.sessions();
      expect(sessions).toHaveLength(1);
      const [session] = sessions;
      expect(JSON.stringify(await journalOf(next.client, session?.id ?? ""))).toContain("It was done.");
      await next.stop();
    },
  );

  it("connects a phone: a code is worth one token at most", async () => {
    await using place = disposable(await makePlace());
    const pair = async ({ client, url }: ServerProcess, round: number): Promise<void> => {
      const { code } = await client.notifications.pair({ name: `phone ${round}` });
      const answer = await fetch(`${url}/api/pairings/redeem`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      const { token } = (await answer.json()) as { token: string };
      expect(await new SallyportClient({ url, token }).me()).toMatchObject({ name: `phone ${round}` });
    };
    const tokensOf = async ({ client }: ServerProcess, round: number): Promise<number> =>
      (await client.tokens()).tokens.filter(({ name }) => name === `phone ${round}`).length;
    await killedIn({
      place,
      work: pair,
      sound: async (server, round) => expect(await tokensOf(server, round)).toBeLessThanOrEqual(1),
      isDatabaseAlone: true,
    });
    const server = await startServer(place);
    await pair(server, 50);
    await server.kill();
    const next = await startServer(place);
    expect(await tokensOf(next, 50)).toBe(1);
    await pair(next, 51);
    await next.stop();
  });
});

describe("the command is killed while it", () => {
  interface Command {
    readonly place: Place;
    readonly words: readonly string[];
    readonly call: number;
  }

  /** True: it was killed. */
  async function run({ place, words, call }: Command): Promise<boolean> {
    const plan = new Plan(place);
    await plan.begin(call);
    const child = spawn(process.execPath, [MAIN, "--home", place.home, ...words], {
      env: { PATH: process.env["PATH"], HOME: place.home, ...plan.environment },
      stdio: "ignore",
    });
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    await plan.end();
    return signal === "SIGKILL";
  }

  async function madeHome(): Promise<Place & AsyncDisposable> {
    const place = disposable(await makePlace());
    const server = await startServer(place);
    await server.client.createSession({});
    await server.stop();
    return place;
  }

  it(
    "backs up: the file is whole or not there, and another try makes it",
    async () => {
      await using place = await madeHome();
      const target = (name: string): string => join(place.workspace, `${name}.backup`);
      expect(await run({ place, words: ["backup", target("whole")], call: 0 })).toBe(false);
      const count = await new Plan(place).count();
      for (const call of killsOf(count)) {
        expect(await run({ place, words: ["backup", target(`at-${call}`)], call })).toBe(true);
        await expect(readFile(target(`at-${call}`))).rejects.toThrow("ENOENT");
        expect(await run({ place, words: ["backup", target(`at-${call}`)], call: 0 })).toBe(false);
        expect(await examineDatabase(target(`at-${call}`))).toMatchObject({ sessions: 1, problems: [] });
      }
    },
    FULL_MS,
  );

  it(
    "restores: the home has the old database or the backup's, or says what to do, and another try restores it",
    async () => {
      await using place = await madeHome();
      const backup = join(place.workspace, "a.backup");
      await run({ place, words: ["backup", backup], call: 0 });
      const server = await startServer(place);
      await server.client.createSession({});
      await server.stop();
      const before = join(place.workspace, "before");
      await copyHome(place.home, before);
      expect(await run({ place, words: ["restore", backup], call: 0 })).toBe(false);
      const count = await new Plan(place).count();
      expect(count).toBeGreaterThan(1);
      for (const call of killsOf(count)) {
        await copyHome(before, place.home);
        expect(await run({ place, words: ["restore", backup], call })).toBe(true);
        const sessions = await startServer(place).then(
          async (started) => {
            const { length } = (await started.client.sessions()).sessions;
            await started.stop();
            return length;
          },
          // Never an empty home without a word.
          (error: Error) => error.message.match(/sallyport restore/)?.[0],
        );
        expect([1, 2, "sallyport restore"]).toContain(sessions);
        expect(await run({ place, words: ["restore", backup], call: 0 })).toBe(false);
        const restored = await startServer(place);
        expect((await restored.client.sessions()).sessions).toHaveLength(1);
        await restored.stop();
      }
    },
    FULL_MS,
  );
});

async function copyHome(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: 0o700 });
  execFileSync("cp", ["-a", `${from}/.`, to]);
}

function disposable(place: Place): Place & AsyncDisposable {
  return { ...place, [Symbol.asyncDispose]: () => place.remove() };
}
