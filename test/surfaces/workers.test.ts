import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS, type WorkerView } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { openPool, untilPool } from "../support/pool.ts";
import { until } from "../support/until.ts";
import { describeWithWalls } from "../support/walls.ts";
import { commitAll, fill, git } from "../workspaces/world.ts";

const SAY = { text: script({ say: "Hello." }) };
const bash = (command: string) => ({ text: script({ tool: "Bash", input: { command } }, { say: "Done." }) });

const shown = ({ id, state, session_id, sandbox, engine, requests }: WorkerView) => ({
  id,
  state,
  session_id,
  sandbox,
  engine,
  requests,
});

describe("prepared workers", () => {
  it("are not there unless somebody wants them, and sessions show where they run", async () => {
    await using app = await openTestApp();
    expect(await app.client.workers()).toEqual({ workers: [] });
    const { session } = await runScript(app.client, { prompt: SAY });
    expect((await app.client.workers()).workers).toMatchObject([
      { id: "w1", state: "busy", session_id: session.id, requests: 1, errors: 0, sessions: 1 },
    ]);
    await app.client.control(session.id, "close");
    await until(async () => (await app.client.pool()).workers === 0);
    expect(await app.client.pool()).toMatchObject({
      config: { min_workers: 0, max_workers: LIMITS.poolWorkers, idle_timeout_secs: 300, scale_up_threshold: 0.8 },
      opened: 1,
      taken: 0,
      requests: 1,
      errors: 0,
    });
  });

  it("are taken by the next session that fits exactly; then the next one is prepared, and it ends when nobody needs it", async () => {
    await using app = await openPool({ min_workers: 1, max_workers: 5, idle_timeout_secs: 60 });
    await untilPool(app, { idle: 1 });
    const { session, events } = await runScript(app.client, { prompt: bash("echo hello"), autonomy: "full" });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    const first = { id: "w1", state: "busy", session_id: session.id, sandbox: session.settings.sandbox };
    await untilPool(app, { idle: 1, busy: 1 });
    expect((await app.client.workers()).workers.map(shown)).toEqual([
      { ...first, engine: "loop", requests: 1 },
      { ...first, engine: "loop", requests: 0, id: "w2", state: "idle", session_id: undefined },
    ]);
    // Other needs, another worker.
    const other = await app.client.createSession({ workspace_mode: "snapshot", prompt: SAY });
    await untilTurnEnds(app.client, other.id);
    expect(await app.client.pool()).toMatchObject({ taken: 1, opened: 1, replaced: 0 });
    for (const { id } of [session, other]) await app.client.control(id, "close");
    await until(async () => (await app.client.pool()).busy === 0);
    app.clock.pass(60_000);
    await untilPool(app, { workers: 1, idle: 1 });
    await app.stop();
  });

  it.each(["worktree", "snapshot"] as const)(
    "have a %s ready, unless its source changed meanwhile, and leave nothing of those that nobody took",
    async (workspace_mode) => {
      await using app = await openPool({ min_workers: 1, max_workers: 5 });
      const { workspace, home } = app.place;
      await fill(workspace, { "a.txt": "old\n" });
      commitAll(workspace);
      const read = { workspace_mode, autonomy: "full", prompt: bash("cat a.txt; echo mine > b.txt") } as const;
      /** A prepared worker has files like those of this kind of session. */
      const untilReady = (): Promise<void> =>
        until(async () => {
          app.clock.pass(LIMITS.warmFollowMs);
          const trees = await readdir(join(home, "workspaces"));
          const { idle } = await app.client.pool();
          return idle === 1 && trees.length === (await app.client.sessions()).sessions.length + 1;
        });
      const first = await runScript(app.client, read);
      await untilReady();
      const second = await runScript(app.client, read);
      expect(await app.client.pool()).toMatchObject({ taken: 1 });
      expect(JSON.stringify(second.events.filter(({ type }) => type === "item.completed"))).toContain("old");
      expect((await app.client.changes(second.session.id)).files).toMatchObject([{ path: "b.txt", status: "added" }]);
      expect(second.session.settings).toMatchObject({ workspace_mode, source: workspace });
      await untilReady();
      await fill(workspace, { "a.txt": "new\n" });
      git(workspace, "commit", "--quiet", "--all", "--message=new");
      const third = await runScript(app.client, read);
      expect(await app.client.pool()).toMatchObject({ taken: 1 });
      expect(JSON.stringify(third.events.filter(({ type }) => type === "item.completed"))).toContain("new");
      await untilReady();
      // Files of prepared workers go with them; those of sessions stay.
      await app.client.setPool({ min_workers: 0, idle_timeout_secs: 1 });
      app.clock.pass(60_000);
      const ids = [first, second, third].map(({ session }) => session.id).toSorted();
      await until(async () => {
        app.clock.pass(LIMITS.warmFollowMs);
        return (await readdir(join(home, "workspaces"))).toSorted().join() === ids.join();
      });
      if (workspace_mode === "worktree")
        expect(git(workspace, "branch", "--list", "sallyport/*").split("\n")).toHaveLength(3);
    },
  );

  it("are replaced when no command can be run in them", async () => {
    await using app = await openPool({ min_workers: 1 });
    await untilPool(app, { idle: 1 });
    const { workspace } = app.place;
    await rename(workspace, `${workspace}-away`);
    app.clock.pass(LIMITS.workerCheckMs);
    await until(async () => (await app.client.pool()).replaced === 1);
    await rename(`${workspace}-away`, workspace);
    app.clock.pass(LIMITS.workerRetryMs);
    await untilPool(app, { idle: 1, unhealthy: 0 });
    const { events } = await runScript(app.client, { prompt: bash("echo hello"), autonomy: "full" });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(await app.client.pool()).toMatchObject({ taken: 1, replaced: 1 });
  });
});

describe("a pool that is full", () => {
  it("gives the place of a session that rests to the next one, and both go on", async () => {
    await using app = await openPool({ max_workers: 1 });
    const { session: one } = await runScript(app.client, { prompt: SAY });
    const { session: other } = await runScript(app.client, { prompt: SAY });
    expect((await app.client.workers()).workers).toMatchObject([{ id: "w1", session_id: other.id }]);
    const { seq } = await app.client.session(one.id);
    await app.client.prompt(one.id, SAY);
    expect((await untilTurnEnds(app.client, one.id, { after: seq })).at(-1)).toMatchObject({ type: "turn.completed" });
    expect((await app.client.workers()).workers).toMatchObject([{ id: "w1", session_id: one.id }]);
  });

  it("lets a session wait for one that works, tells people so, and refuses it by name after a while", async () => {
    await using app = await openPool({ max_workers: 1 });
    const working = await app.client.createSession({ prompt: bash("touch asked") });
    await until(async () => (await app.client.session(working.id)).status === "pending_approval");
    const late = await app.client.createSession({ prompt: SAY });
    await until(async () => (await app.client.pool()).waiting === 1);
    app.clock.pass(LIMITS.workerWaitMs);
    const refused = await untilTurnEnds(app.client, late.id);
    expect(refused.filter((event) => "message" in event || event.type === "turn.failed")).toMatchObject([
      { message: "all 1 workers are busy: this session waits for one" },
      { error: { code: "limit_reached", message: expect.stringContaining("none became free within 60 s") } },
    ]);
    const { seq } = await app.client.session(late.id);
    await app.client.prompt(late.id, SAY);
    await until(async () => (await app.client.pool()).waiting === 1);
    const [question] = (await app.client.approvals()).approvals;
    if (question !== undefined) await approveWith(app.client)(question);
    expect((await untilTurnEnds(app.client, late.id, { after: seq })).at(-1)).toMatchObject({ type: "turn.completed" });
    expect((await untilTurnEnds(app.client, working.id)).at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("gives a place back, and what was set aside, however its session ends", async () => {
    await using app = await openPool({ max_workers: 1 });
    const { client } = app;
    const ways: readonly (() => Promise<string>)[] = [
      // Stopped while a person is asked.
      async () => {
        const { id } = await client.createSession({ prompt: bash("touch asked"), max_cost_microusd: 1_000 });
        await until(async () => (await client.session(id)).status === "pending_approval");
        await client.control(id, "close");
        return id;
      },
      // Failed by the model.
      async () => {
        const fails = { text: script({ error: { status: 400, times: 9 } }) };
        const { id } = await client.createSession({ prompt: fails, max_cost_microusd: 1_000 });
        expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({ type: "turn.failed" });
        return id;
      },
      // Ended by its time.
      async () => {
        const { id } = await client.createJob("containers", {
          commands: ["sleep 60"],
          timeout_ms: 200,
          autonomy: "full",
          max_cost_microusd: 1_000,
        });
        await untilTurnEnds(client, id);
        expect(await client.job("containers", id)).toMatchObject({ status: "failed" });
        return id;
      },
    ];
    for (const way of ways) {
      const id = await way();
      expect(await client.sessionUsage(id)).toMatchObject({ reserved_microusd: 0 });
      const { session, events } = await runScript(client, { prompt: SAY });
      expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
      expect((await client.workers()).workers).toMatchObject([{ id: "w1", session_id: session.id }]);
    }
  });

  it("stops and closes a session that waits at once", async () => {
    await using app = await openPool({ max_workers: 1 });
    const working = await app.client.createSession({ prompt: bash("touch asked") });
    await until(async () => (await app.client.session(working.id)).status === "pending_approval");
    const late = await app.client.createSession({ prompt: SAY });
    await until(async () => (await app.client.pool()).waiting === 1);
    await app.client.interrupt(late.id);
    expect((await untilTurnEnds(app.client, late.id)).at(-1)).toMatchObject({ error: { code: "aborted" } });
    expect(await app.client.pool()).toMatchObject({ workers: 1, busy: 1, waiting: 0 });
    await app.client.prompt(late.id, SAY);
    await until(async () => (await app.client.pool()).waiting === 1);
    await app.client.control(late.id, "close");
    expect(await app.client.pool()).toMatchObject({ workers: 1, busy: 1, waiting: 0 });
  });
});

describe("who may do what with the pool", () => {
  it("admins change it until the server stops; what does not fit together changes nothing", async () => {
    await using app = await openPool({ min_workers: 0, max_workers: 4 });
    expect((await app.client.setPool({ max_workers: 3, idle_timeout_secs: 30 })).config).toMatchObject({
      max_workers: 3,
      idle_timeout_secs: 30,
    });
    await expect(app.client.setPool({ min_workers: 4 })).rejects.toMatchObject({
      code: "invalid_request",
      message: "min_workers must not be more than max_workers",
    });
    await expect(app.client.setPool({ max_workers: 0 })).rejects.toMatchObject({ code: "invalid_request" });
    for (const role of ["operator", "viewer", "agent"] as const)
      await expect((await app.as(role)).setPool({ max_workers: 9 })).rejects.toMatchObject({ code: "forbidden" });
    expect((await app.client.audit({ action: "pool.set" })).entries).toMatchObject([
      { target: "pool", details: { max_workers: 3, idle_timeout_secs: 30 } },
    ]);
    await app.restart();
    expect((await app.client.pool()).config).toMatchObject({ max_workers: 4, idle_timeout_secs: 300 });
  });

  it("an agent sees workers, but not whose they are", async () => {
    await using app = await openTestApp();
    const { session } = await runScript(app.client, { prompt: SAY });
    const seen = (client: TestApp["client"]): Promise<readonly unknown[]> =>
      client.workers().then(({ workers }) => workers.map(({ id, session_id }) => ({ id, session_id })));
    expect(await seen(await app.as("viewer"))).toEqual([{ id: "w1", session_id: session.id }]);
    expect(await seen(await app.as("agent"))).toEqual([{ id: "w1", session_id: undefined }]);
    await expect((await app.as("visitor")).workers()).rejects.toMatchObject({ code: "forbidden" });
  });

  it("sessions run on the worker that they ask for, agents where they are pinned", async () => {
    await using app = await openPool({ max_workers: 4, pins: { reviewer: "w3" } });
    const reviewer = await app.as("agent", "reviewer");
    const own = await runScript(reviewer, { prompt: SAY });
    const asked = await runScript(app.client, { prompt: SAY, worker: "w4" });
    const any = await runScript(app.client, { prompt: SAY });
    expect(asked.session.settings.worker).toBe("w4");
    expect((await app.client.workers()).workers).toMatchObject([
      { id: "w1", session_id: any.session.id },
      { id: "w3", session_id: own.session.id },
      { id: "w4", session_id: asked.session.id },
    ]);
    for (const [client, worker, code] of [
      [app.client, "w5", "not_found"],
      [app.client, "w3", "forbidden"],
      [app.client, "first", "invalid_request"],
      [await app.as("agent", "other"), "w2", "forbidden"],
    ] as const)
      await expect(client.createSession({ worker })).rejects.toMatchObject({ code });
  });
});

describeWithWalls("a worker behind walls", () => {
  it("is prepared with its sandbox, and its session goes on when the sandbox dies", async () => {
    await using app = await openPool({ min_workers: 1, max_workers: 4 });
    await untilPool(app, { idle: 1 });
    const walled = { sandbox: "bubblewrap", network: "none", autonomy: "full" } as const;
    // It fits nobody who wants other walls.
    await runScript(app.client, { ...walled, prompt: bash("echo one") });
    expect(await app.client.pool()).toMatchObject({ taken: 0, opened: 1 });
    await until(async () => {
      app.clock.pass(LIMITS.warmFollowMs);
      return (await app.client.workers()).workers.some(
        ({ state, sandbox, network }) => state === "idle" && sandbox === "bubblewrap" && network === "none",
      );
    });
    const before = (await app.client.pool()).taken;
    const second = await runScript(app.client, { ...walled, prompt: bash("echo two; kill -9 $PPID") });
    expect((await app.client.pool()).taken).toBe(before + 1);
    expect(second.events.at(-1)).toMatchObject({ type: "turn.completed" });
    const { seq } = await app.client.session(second.session.id);
    await app.client.prompt(second.session.id, bash("echo three"));
    const events = await untilTurnEnds(app.client, second.session.id, { after: seq });
    expect(JSON.stringify(events)).toContain('"aggregated_output":"three"');
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });
});
