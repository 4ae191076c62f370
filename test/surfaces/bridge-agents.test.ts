import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngines } from "../../src/cli/wiring/engines.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { isFullRun } from "../support/sample.ts";
import { PROGRAMS_FOLDER } from "../support/vendor-programs.ts";
import { BridgeClient, threadOf } from "./bridge-client.ts";

const ENVIRONMENT = { PATH: process.env["PATH"], SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER } as const;

/** The agents of document 002 with their real programs, and what else Claude runs on. Three turns of OpenCode take half a minute. */
const AGENTS: readonly string[] = ["claude-cli", "claude-sdk", "codex", ...(isFullRun ? ["opencode"] : [])];
const run = (command: string): object => ({ tool: "Bash", input: { command } });

const engines = openEngines(readSettings({}, ENVIRONMENT, process.cwd()), ENVIRONMENT);

/** Why it cannot run here; undefined: it can. */
function missing(id: string): string | undefined {
  const engine = engines.get(id);
  return engine === undefined ? "this server has no such engine" : engine.missing?.();
}

let app: TestApp;
let client: BridgeClient;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER });
  client = new BridgeClient(app);
});
afterAll(async () => {
  client?.close();
  await app?.[Symbol.asyncDispose]();
});

for (const engine of AGENTS) {
  const why = missing(engine);
  describe.skipIf(why !== undefined)(`the bridge on ${engine}${why === undefined ? "" : ` (left out: ${why})`}`, () => {
    const submit = (text: string, more: object = {}): Promise<void> =>
      client.say({ control: "run.submit", text, engine, ...more });

    it("asks about a command in rows, runs it after approval.answer, and ends the turn", async () => {
      await submit(script({ say: "I run it." }, run("echo from the agent"), { say: "Done." }));
      const { id, input_hash } = await client.question();
      await client.say({ control: "approval.answer", approvalId: id, inputHash: input_hash, decision: "approve" });
      const rows = await client.turn();
      expect(rows.at(-1)?.type).toBe("turn.completed");
      expect(JSON.stringify(rows)).toContain("from the agent");
      expect(rows[0]).toEqual({ type: "approval.resolved", approval_id: id, outcome: "approved" });
    });

    it("goes on with the thread by the id that the agent's own program gives it", async () => {
      await submit(script({ say: "first" }));
      const rows = await client.turn();
      const thread = threadOf(rows);
      const { engine_session_id } = await app.client.session(thread);
      expect(rows).toContainEqual({ type: "thread.session", thread_id: thread, session_id: engine_session_id });
      await submit(script({ say: "second" }), { resumeId: engine_session_id });
      const again = await client.turn();
      expect(client.thread).toBe(thread);
      // It is the same there, and told once.
      expect(again.map(({ type }) => type)).not.toContain("thread.session");
      expect((await app.client.session(thread)).turns).toBe(2);
    });

    it("ends a run that is aborted, and the next one is clean", async () => {
      const watcher = new BridgeClient(app, { query: "replay=off&mapping=rich" });
      await watcher.status();
      await submit(script({ stream: { tokens: 100_000, per_second: 200 } }));
      await watcher.until((row) => row.type === "item.started" || row.type === "item.updated");
      await client.say({ control: "run.abort" });
      expect((await client.turn()).at(-1)).toEqual({ type: "turn.failed", error: { message: "aborted" } });
      await submit(script({ say: "again" }));
      expect((await client.turn()).at(-1)?.type).toBe("turn.completed");
      watcher.close();
    });
  });
}
