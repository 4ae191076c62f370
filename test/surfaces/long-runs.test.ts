import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type { CreateLongRun, LongRunDetail, SessionView } from "../../src/protocol/index.ts";
import { filledIn } from "../../src/sessions/long-runs/templates.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { Phoenix } from "../support/life.ts";
import { ownPort } from "../support/port.ts";
import { makePlace } from "../support/server.ts";
import { until } from "../support/until.ts";

const FEATURES = ["answers requests", "has a page", "lists items", "adds an item", "removes an item"];
/** A small web app: each feature is a module of its own, which the server loads. */
const SERVER = `import { createServer } from "node:http";
import { readdirSync } from "node:fs";
const routes = {};
for (const name of readdirSync(import.meta.dirname).filter((name) => /^feature-\\d+\\.mjs$/.test(name)))
  Object.assign(routes, (await import("./" + name)).routes);
export const server = createServer((request, response) => {
  const answer = routes[request.url];
  response.writeHead(answer === undefined ? 404 : 200).end(answer ?? "");
});
`;
const LIST = `[\n${FEATURES.map(
  (description, index) =>
    `  {"id": ${index + 1}, "description": ${JSON.stringify(description)}, "steps": [], "passes": false}`,
).join(",\n")}\n]\n`;
const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const COMMIT =
  "rm -f .git/index.lock; git -c user.name=a -c user.email=a@b add -A && git -c user.name=a -c user.email=a@b commit -qm";

const initializer = script(
  { tool: "Write", input: { file_path: "feature_list.json", content: LIST } },
  { tool: "Write", input: { file_path: "server.mjs", content: SERVER } },
  { tool: "Write", input: { file_path: "progress.md", content: "begun\n" } },
  bash(`git init -q && ${COMMIT} begin`),
  { say: "There is a plan." },
);
const coder = script(
  { tool: "Read", input: { file_path: "progress.md" } },
  {
    tool: "Write",
    input: {
      file_path: "feature-{{next}}.mjs",
      content: 'export const routes = { "/{{next}}": "{{next_feature}}" };\n',
    },
  },
  bash(`sed -i 's/"id": {{next}}, \\(.*\\)"passes": false/"id": {{next}}, \\1"passes": true/' feature_list.json`),
  bash(`echo "{{next}} of {{total}}" >> progress.md && ${COMMIT} "feature {{next}}"`),
  { say: "Done." },
);
const idle = script({ say: "I looked around." });

async function prepared(client: SallyportClient, coding = coder): Promise<void> {
  await client.saveTemplate("first", { name: "First", session: { prompt: { text: initializer } } });
  await client.saveTemplate("next", { name: "Next", session: { prompt: { text: coding } } });
}

const request = (more: Partial<CreateLongRun> = {}): CreateLongRun => ({
  name: "App",
  task: "a small web app",
  initializer: "first",
  coder: "next",
  session: { autonomy: "full" },
  max_cost_microusd: 1_000_000,
  pause_s: 0,
  ...more,
});

async function untilEnded(client: SallyportClient, id: string): Promise<LongRunDetail> {
  await until(async () => (await client.longRuns.get(id)).status === "ended");
  return client.longRuns.get(id);
}

/** Its sessions, the first one first. */
async function sessionsOf(client: SallyportClient, id: string): Promise<readonly SessionView[]> {
  const { sessions } = await client.sessions({ limit: 100 });
  return sessions
    .filter(({ settings }) => settings.metadata?.["long_run"] === id)
    .toSorted((one, other) => Number(one.settings.metadata?.["index"]) - Number(other.settings.metadata?.["index"]));
}

const priced = { prices: { sim: { input: 1_000, output: 1_000, cache_read: 1_000, cache_write: 1_000 } } };
const openPriced = (clock?: MovableClock): Promise<TestApp> =>
  openTestApp(
    {},
    {
      ...(clock === undefined ? {} : { clock }),
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(priced));
        return () => Promise.resolve();
      },
    },
  );

const ASK = `const { server } = await import(process.cwd() + "/server.mjs");
server.listen(0, "127.0.0.1", async () => {
  const answers = [];
  for (let id = 1; id <= ${FEATURES.length}; id += 1)
    answers.push(await (await fetch("http://127.0.0.1:" + server.address().port + "/" + id)).text());
  console.log(JSON.stringify(answers));
  process.exit();
});`;

/** The app that was built, started and asked from outside. */
function tryApp(workspace: string): unknown {
  const words = ["--input-type=module", "-e", ASK];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: workspace, encoding: "utf8" }));
}

describe("a long run", () => {
  it("builds a web app, session after session, until all features pass, and survives five kills", async () => {
    const place = await makePlace();
    await mkdir(place.home, { recursive: true });
    await writeFile(join(place.home, "sallyport.yaml"), JSON.stringify(priced));
    const phoenix = new Phoenix(place, await ownPort(), () => ({}));
    try {
      const { client } = phoenix;
      await phoenix.insist(() => prepared(client));
      const { id } = await phoenix.insist(() =>
        client.longRuns.start(request({ max_sessions: 12, max_idle_sessions: 5 })),
      );
      const now = (): Promise<LongRunDetail> => phoenix.insist(() => client.longRuns.get(id));
      // In the middle of each session, or between two of them, as it comes.
      for (let kills = 1; kills <= 5; kills += 1) {
        await until(async () => (await now()).sessions >= kills);
        await (await phoenix.running).kill();
        await until(() => phoenix.kills === kills);
      }
      await until(async () => (await now()).status === "ended");
      const run = await client.longRuns.get(id);
      expect(run).toMatchObject({ end: "all_pass", features: { passing: 5, total: 5 } });
      expect(run.feature_list).toEqual(FEATURES.map((description) => ({ description, passes: true })));
      // Each session began once, and each is one step.
      const sessions = await sessionsOf(client, id);
      expect(sessions.map(({ settings }) => settings.metadata?.["index"])).toEqual(
        sessions.map((_, index) => index + 1),
      );
      expect(run.steps.map(({ index, session_id }) => [index, session_id])).toEqual(
        sessions.map(({ id: session_id }, index) => [index + 1, session_id]),
      );
      expect(sessions.every(({ status, turns }) => status === "complete" && turns === 1)).toBe(true);
      expect(run.spent_microusd).toBeGreaterThan(0);
      expect(run.spent_microusd).toBeLessThanOrEqual(run.max_cost_microusd);
      expect(run.spent_microusd).toBe(sessions.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0));
      expect(tryApp(place.workspace)).toEqual(FEATURES);
      expect(readFileSync(join(place.workspace, "progress.md"), "utf8")).toContain("5 of 5");
      const log = execFileSync("git", ["log", "--format=%s"], { cwd: place.workspace, encoding: "utf8" });
      expect(log).toContain("feature 5");
    } finally {
      await phoenix.stop();
      await place.remove();
    }
  });

  it("never passes its budget: the last request that does not fit is not sent", async () => {
    await using app = await openPriced();
    await prepared(app.client);
    const whole = await untilEnded(app.client, (await app.client.longRuns.start(request())).id);
    expect(whole.end).toBe("all_pass");
    await using other = await openPriced();
    await prepared(other.client);
    const half = Math.floor(whole.spent_microusd / 2);
    const short = await untilEnded(
      other.client,
      (await other.client.longRuns.start(request({ max_cost_microusd: half }))).id,
    );
    expect(short).toMatchObject({ end: "budget", message: "Its budget does not pay for another request." });
    expect(short.spent_microusd).toBeLessThanOrEqual(half);
  });

  it("ends when nothing moves any more, and when it had its sessions", async () => {
    await using app = await openTestApp();
    await prepared(app.client, idle);
    const still = await untilEnded(app.client, (await app.client.longRuns.start(request({ max_idle_sessions: 2 }))).id);
    expect(still).toMatchObject({ end: "no_progress", sessions: 3, features: { passing: 0, total: 5 } });
    const few = await untilEnded(app.client, (await app.client.longRuns.start(request({ max_sessions: 2 }))).id);
    expect(few).toMatchObject({ end: "max_sessions", sessions: 2 });
    expect((await app.client.longRuns.list()).long_runs.map(({ id }) => id)).toEqual([few.id, still.id]);
  });

  it("goes on after its pause where the clock was set back, also before a restart", async () => {
    const clock = new MovableClock();
    await using app = await openTestApp({}, { clock });
    await prepared(app.client);
    const year = 365 * 24 * 3_600_000;
    clock.jump(year);
    const { id } = await app.client.longRuns.start(request({ pause_s: 3_600 }));
    const steps = (count: number): Promise<void> =>
      until(async () => (await app.client.longRuns.get(id)).steps.length === count);
    await steps(1);
    clock.jump(-year);
    clock.pass(3_600_000);
    await steps(2);
    clock.jump(-year);
    await app.restart();
    expect(await app.client.longRuns.get(id)).toMatchObject({ status: "waiting" });
    clock.pass(3_600_000);
    await steps(3);
  });

  it("pauses between sessions; a person pauses, continues and stops it", async () => {
    const clock = new MovableClock();
    await using app = await openTestApp({}, { clock });
    await prepared(app.client);
    const { id } = await app.client.longRuns.start(request({ pause_s: 3_600 }));
    await until(async () => (await app.client.longRuns.get(id)).steps.length === 1);
    expect(await app.client.longRuns.get(id)).toMatchObject({ status: "waiting", sessions: 1 });
    expect(await app.client.longRuns.control(id, "pause")).toMatchObject({ status: "paused" });
    clock.pass(2 * 3_600_000);
    await app.restart();
    expect(await app.client.longRuns.get(id)).toMatchObject({ status: "paused", sessions: 1 });
    await app.client.longRuns.control(id, "continue");
    await until(async () => (await app.client.longRuns.get(id)).steps.length === 2);
    const stopped = await app.client.longRuns.control(id, "stop");
    expect(stopped).toMatchObject({ status: "ended", end: "stopped", message: "first admin stopped it." });
    await expect(app.client.longRuns.control(id, "continue")).rejects.toMatchObject({ code: "conflict" });
    await app.client.longRuns.remove(id);
    expect((await app.client.longRuns.list()).long_runs).toEqual([]);
  });

  it("stands still when a person stops its session, and when its token is gone", async () => {
    await using app = await openTestApp();
    const waiting = script({ tool: "AskUserQuestion", input: QUESTION }, { say: "Thanks." });
    await prepared(app.client, waiting);
    await app.client.saveTemplate("first", { name: "First", session: { prompt: { text: waiting } } });
    const operator = await app.as("operator", "builder");
    const { id } = await operator.longRuns.start(request({ session: {} }));
    await until(async () => (await app.client.approvals({ status: "pending" })).approvals.length === 1);
    const { session_id = "" } = await app.client.longRuns.get(id);
    await app.client.interrupt(session_id);
    await until(async () => (await app.client.longRuns.get(id)).status === "paused");
    expect(await app.client.longRuns.get(id)).toMatchObject({
      message: "Somebody stopped its session. Continue it when it may go on.",
      sessions: 1,
    });
    const { tokens } = await app.client.tokens();
    await app.client.deleteToken(tokens.find(({ name }) => name === "builder")?.id ?? "");
    await app.client.longRuns.control(id, "continue");
    await until(async () => (await app.client.longRuns.get(id)).message?.includes("token") === true);
    expect(await app.client.longRuns.get(id)).toMatchObject({ status: "paused", sessions: 1 });
  });

  it("what cannot be is refused, and others' long runs are not there", async () => {
    await using app = await openTestApp();
    await prepared(app.client);
    const refused = (more: object): Promise<unknown> =>
      app.client.longRuns.start(request(more)).catch((error: Error) => error.message);
    expect(await refused({ coder: "nothing" })).toContain("there is no template nothing");
    expect(await refused({ session: { workspace_mode: "worktree" } })).toContain("workspace_mode must be direct");
    expect(await refused({ session: { max_cost_microusd: 1 } })).toContain("no max_cost_microusd of their own");
    expect(await refused({ max_sessions: 0 })).toContain("max_sessions");
    const { id } = await app.client.longRuns.start(request());
    const agent = await app.as("agent");
    expect((await agent.longRuns.list()).long_runs).toEqual([]);
    await expect(agent.longRuns.get(id)).rejects.toMatchObject({ code: "not_found" });
    await expect((await app.as("viewer")).longRuns.control(id, "stop")).rejects.toMatchObject({ code: "forbidden" });
    await untilEnded(app.client, id);
  });

  it("reads the list of features as data: no links, nothing large, nothing odd", async () => {
    await using app = await openTestApp();
    await prepared(app.client, idle);
    await writeFile(join(app.place.home, "outside.json"), '[{"description":"secret","passes":true}]');
    const linked = script(bash(`ln -sf ${join(app.place.home, "outside.json")} feature_list.json`), { say: "Done." });
    await app.client.saveTemplate("first", { name: "First", session: { prompt: { text: linked } } });
    await symlink(join(app.place.home, "outside.json"), join(app.place.workspace, "feature_list.json"));
    const run = await untilEnded(app.client, (await app.client.longRuns.start(request({ max_sessions: 1 }))).id);
    expect([run.end, run.features, run.feature_list]).toEqual(["max_sessions", undefined, []]);
  });

  it("ships the two templates, which anyone can read and change", async () => {
    await using app = await openTestApp();
    const { initializer: first, coder: next } = await app.client.longRuns.templates();
    expect(first.prompt?.text).toContain("feature_list.json");
    expect(next.prompt?.text).toContain("{{next_feature}}");
    const values = { task: "{{next}}", session: 2, passing: 1, total: 3, next: 2, next_feature: "x" };
    expect(filledIn("{{task}} {{next}} {{unknown}}", values)).toBe("{{next}} 2 {{unknown}}");
  });
});

const QUESTION = {
  questions: [
    {
      question: "Which?",
      header: "Which",
      multiSelect: false,
      options: [
        { label: "A", description: "a" },
        { label: "B", description: "b" },
      ],
    },
  ],
};
