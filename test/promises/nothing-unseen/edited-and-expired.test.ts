import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SallyportClient } from "../../../src/client/index.ts";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { serve } from "../../../src/cli/serve.ts";
import { openTestApp, runScript, script, untilTurnEnds } from "../../support/app.ts";
import { makePlace, TEST_TOKEN } from "../../support/server.ts";

const DAY_MS = 86_400_000;
const bash = (command: string): object => ({ tool: "Bash", input: { command } });

describe("an approval", () => {
  it("that was edited shows what ran first and what was asked second", async () => {
    await using app = await openTestApp();
    const { session, events } = await runScript(
      app.client,
      { prompt: { text: script(bash("echo asked > e"), { say: "Done." }) } },
      ({ id, input_hash }) =>
        app.client.decide(id, { decision: "approve", input_hash, updated_input: { command: "echo ran > e" } }),
    );
    expect(await readFile(join(app.place.workspace, "e"), "utf8")).toBe("ran\n");
    const item = {
      command: "echo ran > e",
      input: { command: "echo asked > e" },
      approved_input: { command: "echo ran > e" },
    };
    expect(events.filter(({ type }) => type === "item.updated" || type === "item.completed").slice(0, 2)).toMatchObject(
      [
        { type: "item.updated", item },
        { type: "item.completed", item: { ...item, status: "completed" } },
      ],
    );
    const { entries } = (await (
      await fetch(`${app.serving.url}/api/audit?action=approval.decide`, {
        headers: { authorization: `Bearer ${TEST_TOKEN}` },
      })
    ).json()) as { entries: readonly { action: string; details: unknown }[] };
    expect(entries.find(({ action }) => action === "approval.decide")).toMatchObject({
      details: { ran_input: { command: "echo ran > e" }, asked_input: { command: "echo asked > e" } },
    });
    expect((await app.client.session(session.id)).grants).toEqual([]);
  });

  it("does not grant a rule for a call that was changed", async () => {
    await using app = await openTestApp();
    const refusals: unknown[] = [];
    await runScript(
      app.client,
      { prompt: { text: script(bash("echo x"), { say: "Done." }) } },
      async ({ id, input_hash }) => {
        const approve = { decision: "approve", input_hash, scope: "session" } as const;
        for (const more of [{ updated_input: { command: "echo y" } }, { rule: "Bash" }])
          refusals.push(await app.client.decide(id, { ...approve, ...more }).catch((error: unknown) => error));
        await app.client.decide(id, { decision: "reject", input_hash });
      },
    );
    expect(refusals).toMatchObject([{ code: "invalid_request" }, { code: "invalid_request" }]);
  });

  it("expires by the clock on the wall, and is not taken for a no", async () => {
    const place = await makePlace();
    const environment = { PATH: process.env["PATH"], HOME: place.home, SALLYPORT_TOKEN: TEST_TOKEN };
    let ahead = 0;
    const serving = await serve({
      settings: readSettings({ home: place.home, workspace: place.workspace, port: 0 }, environment, place.workspace),
      environment,
      version: "0.0.0-test",
      logLevel: "silent",
      onFatal: (error) => {
        throw error;
      },
      // A machine that slept: timers do not know of the time that passed.
      clock: {
        now: () => Date.now() + ahead,
        elapsed: () => performance.now(),
        after: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          timer.unref();
          return () => clearTimeout(timer);
        },
      },
    });
    try {
      const client = new SallyportClient({ url: serving.url, token: TEST_TOKEN });
      const answers: unknown[] = [];
      const { id } = await client.createSession({ prompt: { text: script(bash("touch late"), { say: "Done." }) } });
      const events = await untilTurnEnds(client, id, {
        answer: async (approval) => {
          ahead = DAY_MS;
          const { input_hash } = approval;
          answers.push(
            await client.decide(approval.id, { decision: "approve", input_hash }).catch((error: unknown) => error),
            await client.approval(approval.id),
          );
        },
      });
      expect(answers).toMatchObject([{ code: "timed_out" }, { status: "timed_out", resolved_by: { role: "system" } }]);
      expect(events.filter(({ type }) => type === "approval.resolved")).toMatchObject([{ outcome: "timed_out" }]);
      expect(
        events.flatMap((event) =>
          event.type === "item.completed" && "tool_use_id" in event.item ? [event.item.status] : [],
        ),
      ).toEqual(["timed_out"]);
      await expect(readFile(join(place.workspace, "late"))).rejects.toThrow("ENOENT");
    } finally {
      await serving.close();
      await place.remove();
    }
  });
});
