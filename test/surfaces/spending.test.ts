import { afterAll, beforeAll, expect, it } from "vitest";
import { MountClient } from "../../src/client/index.ts";
import {
  dollars,
  followRuntimeTurn,
  newRuntimeTurn,
  NO_USAGE,
  spendingWords,
  type JournalEvent,
  type SessionUsage,
  type StreamFrame,
} from "../../src/protocol/index.ts";
import { Place } from "../cli/place.ts";
import { rowsOf } from "../protocol/bridge-journal.ts";
import { script } from "../support/app.ts";
import { journalOf } from "../support/journals.ts";
import { openMoneyApp, SMALL, type MoneyApp } from "../support/money/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

// A request that is cut off costs something between nothing and its bound. Every surface says "at most" of it.

let app: MoneyApp;
let id: string;
let usage: SessionUsage;
let journal: readonly JournalEvent[];

beforeAll(async () => {
  app = await openMoneyApp();
  const text = script({ stream: { tokens: 100_000, per_second: 200 } });
  ({ id } = await app.client.createSession({ ...SMALL, max_tokens: 100_000, prompt: { text } }));
  for await (const frame of app.client.watch(id)) if (frame.type === "item.delta") break;
  await app.client.control(id, "interrupt");
  // The proxy notices a moment later that its caller is gone.
  for await (const frame of app.client.watch(id)) if (frame.type === "budget.updated") break;
  usage = await app.client.sessionUsage(id);
  journal = await journalOf(app.client, id);
});
afterAll(() => app[Symbol.asyncDispose]());

it("REST: the session, its usage and its events have the same bound", async () => {
  const { cost_microusd, bound_microusd } = await app.client.session(id);
  const told = journal.flatMap((event) =>
    event.type === "budget.updated" ? [{ cost: event.cost_microusd, bound: event.bound_microusd }] : [],
  );
  expect(bound_microusd).toBeLessThanOrEqual(cost_microusd);
  expect({ cost: usage.cost_microusd, bound: usage.bound_microusd }).toEqual({
    cost: cost_microusd,
    bound: bound_microusd,
  });
  expect(told).toEqual([{ cost: cost_microusd, bound: bound_microusd }]);
});

it("REST: the list of sessions has it, too, and a restart keeps it", async () => {
  const listed = async (): Promise<unknown> => {
    const { sessions } = await app.client.sessions();
    return sessions.find((session) => session.id === id)?.bound_microusd;
  };
  expect(await listed()).toBe(usage.bound_microusd);
  await app.restart();
  expect([await listed(), (await app.client.session(id)).bound_microusd]).toEqual([
    usage.bound_microusd,
    usage.bound_microusd,
  ]);
});

it("the mount: the usage file", async () => {
  const files = new MountClient({ url: app.serving.url, token: TEST_TOKEN });
  const text = Buffer.from(await files.read(`/claude/sessions/${id}/usage`)).toString();
  const { cost_usd, bound_usd } = JSON.parse(text) as { readonly cost_usd: number; readonly bound_usd: number };
  expect([cost_usd, bound_usd]).toEqual([usage.cost_microusd, usage.bound_microusd]);
});

it("the command line: usage and the session", async () => {
  await using place = new Place();
  const words = ["--server", app.serving.url];
  const environment = { SALLYPORT_TOKEN: TEST_TOKEN };
  const shown = await place.run([...words, "sessions", "show", id], environment);
  expect(shown.stdout).toContain(`cost         ${spendingWords(usage)}`);
  const table = await place.run([...words, "usage", "--by", "session"], environment);
  const [, line = ""] = table.stdout.split("\n");
  expect(line).toContain(` ${dollars(usage.cost_microusd - usage.bound_microusd)} `);
  expect(line.trimEnd().endsWith(dollars(usage.cost_microusd))).toBe(true);
});

it("documents 000 and 002: the end of a turn whose cost has a bound", () => {
  const end = {
    type: "turn.completed",
    session_id: id,
    seq: 9,
    at: "2026-11-15T00:00:00.000Z",
    turn_id: "turn_1",
    usage: NO_USAGE,
    cost_microusd: 500_000,
    bound_microusd: 200_000,
    stop_reason: "end_turn",
  } as StreamFrame;
  const { messages } = followRuntimeTurn(newRuntimeTurn("page", "turn_1"), end);
  expect(messages).toMatchObject([{ type: "final", cost_usd: 0.5, bound_usd: 0.2 }]);
  expect(rowsOf("rich", [end]).at(-1)).toMatchObject({ cost_microusd: 500_000, bound_microusd: 200_000 });
});
