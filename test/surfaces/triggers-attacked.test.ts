import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { LIMITS, type SaveTemplate, type WebhookCreated } from "../../src/protocol/index.ts";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let clock: MovableClock;
let admin: SallyportClient;
beforeEach(async () => {
  clock = new MovableClock();
  app = await openTestApp({}, { clock });
  admin = app.client;
  await admin.saveTemplate("triage", HARMLESS);
});
afterEach(() => app[Symbol.asyncDispose]());

const HARMLESS: SaveTemplate = { name: "Triage", session: { prompt: { text: script({ say: "Sorted." }) } } };
/** What no operator may start by itself under the shipped policy. */
const HARMFUL: SaveTemplate = { name: "Triage", session: { ...HARMLESS.session, autonomy: "full" } };
const CHANGED = "somebody else changed the template triage since it was chosen";

interface Delivery {
  readonly id?: string;
  readonly body?: string;
  /** Seconds from now. */
  readonly shift?: number;
}

function headersOf({ secret }: Pick<WebhookCreated, "secret">, { id = "msg_1", body = "{}", shift = 0 }: Delivery) {
  const timestamp = String(Math.floor(clock.now() / 1_000) + shift);
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

async function deliver(hook: WebhookCreated, delivery: Delivery = {}): Promise<{ status: number; text: string }> {
  const { body = "{}" } = delivery;
  const response = await fetch(app.serving.url + hook.path, {
    method: "POST",
    headers: headersOf(hook, delivery),
    body,
  });
  return { status: response.status, text: await response.text() };
}

const sessions = async (): Promise<number> => (await admin.sessions()).sessions.length;

describe("a template that somebody else changed", () => {
  it("starts nothing with the rights of the admin whose webhook and schedule name it", async () => {
    const operator = await app.as("operator");
    const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
    const schedule = await admin.schedules.create({ name: "Hourly", template: "triage", cron: "0 * * * *" });
    await operator.saveTemplate("triage", HARMFUL);
    const { status, text } = await deliver(hook);
    expect([status, text]).toEqual([409, expect.stringContaining(CHANGED)]);
    clock.pass(Date.parse(schedule.next[0] ?? "") - clock.now());
    await until(async () => (await admin.schedules.list()).schedules.every(({ paused }) => paused));
    expect((await admin.webhooks.list()).webhooks).toMatchObject([{ paused: true, started: 0 }]);
    expect((await admin.schedules.list()).schedules).toMatchObject([
      { started: 0, last: { message: expect.stringContaining(CHANGED) } },
    ]);
    // An operator's word changes nothing about that; an admin's does.
    await operator.webhooks.control(hook.id, "continue");
    expect((await deliver(hook)).status).toBe(409);
    expect(await sessions()).toBe(0);
    await admin.saveTemplate("triage", HARMLESS);
    await admin.webhooks.control(hook.id, "continue");
    expect((await deliver(hook)).status).toBe(202);
    expect(await sessions()).toBe(1);
  });

  it("is fine as it was when it was chosen, also after a restart", async () => {
    const operator = await app.as("operator");
    await operator.saveTemplate("triage", HARMLESS);
    const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
    await app.restart();
    expect((await deliver(hook)).status).toBe(202);
  });

  it("pauses a long run that names it", async () => {
    const operator = await app.as("operator");
    const long = { max_cost_microusd: 1_000_000, max_sessions: 3, pause_s: 60, initializer: "triage", coder: "triage" };
    const { id } = await admin.longRuns.start({ name: "Build", task: "x", ...long });
    // Before its first session it waits too.
    await until(async () => {
      const { status, sessions: begun } = await admin.longRuns.get(id);
      return status === "waiting" && begun === 1;
    });
    await operator.saveTemplate("triage", HARMFUL);
    clock.pass(61_000);
    await until(async () => (await admin.longRuns.get(id)).status === "paused");
    expect(await admin.longRuns.get(id)).toMatchObject({ sessions: 1, message: expect.stringContaining(CHANGED) });
  });
});

it("what acts with another's rights is not given to others: neither its secret, nor to a token with limits of its own", async () => {
  const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
  const schedule = await admin.schedules.create({ name: "Hourly", template: "triage", cron: "0 * * * *" });
  const { id: run } = await admin.longRuns.start({ name: "Build", task: "x", max_cost_microusd: 1_000, pause_s: 60 });
  const operator = await app.as("operator");
  await expect(operator.webhooks.rotate(hook.id)).rejects.toMatchObject({ code: "forbidden" });
  const { token } = await admin.createToken({ name: "narrow", role: "operator", max_concurrent: 1 });
  const narrow = new SallyportClient({ url: app.serving.url, token });
  const tries = [
    () => narrow.webhooks.rotate(hook.id),
    () => narrow.webhooks.control(hook.id, "pause"),
    () => narrow.webhooks.remove(hook.id),
    () => narrow.schedules.control(schedule.id, "pause"),
    () => narrow.schedules.remove(schedule.id),
    () => narrow.longRuns.control(run, "stop"),
    () => narrow.longRuns.remove(run),
  ];
  for (const attempt of tries) await expect(attempt()).rejects.toMatchObject({ code: "forbidden" });
  expect((await deliver(hook)).status).toBe(202);
  // Its own it may change.
  const own = await narrow.webhooks.create({ name: "Own", template: "triage" });
  await expect(narrow.webhooks.rotate(own.id)).resolves.toMatchObject({ id: own.id });
});

describe("deliveries of strangers", () => {
  /** Sends a head and so many bytes, and waits for the first line of an answer. The rest of the body never comes. */
  async function firstLine(path: string, headers: Readonly<Record<string, string>>, sent: number): Promise<string> {
    const socket = connect(Number(new URL(app.serving.url).port), "127.0.0.1");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\nhost: ${new URL(app.serving.url).host}\r\n${lines.join("")}\r\n`);
    socket.write(Buffer.alloc(sent, " "));
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return answer.toString("latin1").split("\r\n", 1)[0] ?? "";
  }

  it("are refused before their body is read, unless a webhook could take them", async () => {
    const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
    const announced = { "content-length": "200000" };
    const [unknown, old, large] = [
      await firstLine("/hooks/hook_none", { ...headersOf(hook, {}), ...announced }, 10),
      await firstLine(hook.path, { ...headersOf(hook, { shift: -400 }), ...announced }, 10),
      await firstLine(hook.path, { ...headersOf(hook, {}), "content-length": "300000" }, 10),
    ];
    expect([unknown, old, large]).toEqual([
      "HTTP/1.1 401 Unauthorized",
      "HTTP/1.1 401 Unauthorized",
      "HTTP/1.1 413 Payload Too Large",
    ]);
  });

  it("take no more memory together than they may", async () => {
    const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
    const { host, port } = new URL(app.serving.url);
    const length = LIMITS.webhookBodyBytes;
    const head = Object.entries({ ...headersOf(hook, {}), host, "content-length": String(length) });
    const sockets = Array.from({ length: LIMITS.webhookBodiesBytes / length + 2 }, () => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(
        `POST ${hook.path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
      );
      // All but the last byte: none of them ends.
      socket.write(Buffer.alloc(length - 1, " "));
      return socket;
    });
    const [refused] = (await Promise.race(sockets.map((socket) => once(socket, "data")))) as [Buffer];
    expect(refused.toString("latin1")).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5\r\n/i);
    for (const socket of sockets) socket.destroy();
    // What they had taken is free again.
    await until(async () => (await deliver(hook)).status === 202);
  });
});

it("the mark around a payload cannot be made from the webhook's secret", async () => {
  const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
  const { text } = await deliver(hook);
  const { session_id } = JSON.parse(text) as { readonly session_id: string };
  const events = await untilTurnEnds(admin, session_id);
  const started = events.find((event) => event.type === "turn.started");
  const key = Buffer.from(hook.secret.replace("whsec_", ""), "base64");
  const guess = createHmac("sha256", key).update("mark msg_1").digest("hex").slice(0, 16);
  const prompt = started?.type === "turn.started" ? started.prompt.text : "";
  expect(prompt).toMatch(/begin of data [0-9a-f]{16}\n/);
  expect(prompt).not.toContain(guess);
});

it("deliveries and times leave no more versions in the store than are shown as history, and what is deleted leaves none", async () => {
  const hook = await admin.webhooks.create({ name: "Issues", template: "triage" });
  const schedule = await admin.schedules.create({ name: "Hourly", template: "triage", cron: "0 * * * *" });
  for (let index = 0; index < 5; index += 1) expect((await deliver(hook, { id: `msg_${index}` })).status).toBe(202);
  const { id: run } = await admin.longRuns.start({ name: "Build", task: "x", max_cost_microusd: 1_000, pause_s: 60 });
  await until(async () => (await admin.longRuns.get(run)).sessions === 1);
  const open = await loadSqlite();
  const versions = (): unknown => {
    const database = open(join(app.place.home, "sallyport.db"), { readOnly: true });
    const rows = database.prepare("SELECT name, count(*) AS n FROM documents GROUP BY name").all() as {
      readonly name: string;
      readonly n: number;
    }[];
    database.close();
    return Object.fromEntries(
      rows.filter(({ name }) => /webhook|schedule|long_run/.test(name)).map(({ name, n }) => [name, n]),
    );
  };
  // Its creation and five deliveries; test/conformance/store-registry.ts shows that a store keeps no more than it is told.
  expect(versions()).toMatchObject({ webhooks: 1, [`webhook/${hook.id}`]: 6, [`schedule/${schedule.id}`]: 1 });
  await admin.webhooks.remove(hook.id);
  await admin.schedules.remove(schedule.id);
  await admin.longRuns.remove(run);
  expect(versions()).toEqual({ webhooks: 1, schedules: 1, long_runs: 1 });
});
