import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isToolItem, outputText, type CreateSession, type JournalEvent } from "../../../src/protocol/index.ts";
import { loadSqlite } from "../../../src/store/sqlite/binding.ts";
import { isAlive } from "../../support/escapes.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { sample } from "../../support/sample.ts";
import { leftBehind, makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";
import { until } from "../../support/until.ts";

/** Long beyond every test: who waits for it to be over fails. */
const PATIENT = { SALLYPORT_DRAIN_SECONDS: "3600" };

/** Notes that it runs, and ends when a file is there. */
const untilFile = (name: string): object => ({
  tool: "Bash",
  input: {
    command: `echo ${name} >> ran.txt; until [ -e ${name}.go ]; do sleep 0.02; done; echo ${name} is done`,
    timeout: 600_000,
  },
});

/** Starts a session whose command notes that it runs, and waits until it does. */
async function running({ client }: ServerProcess, place: Place, session: CreateSession): Promise<string> {
  const before = (await ran(place)).length;
  const { id } = await client.createSession(session);
  await until(async () => (await ran(place)).length > before);
  return id;
}

async function ran({ workspace }: Place): Promise<readonly string[]> {
  const text = await readFile(join(workspace, "ran.txt"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

const letEnd = ({ workspace }: Place, name: string): Promise<void> => writeFile(join(workspace, `${name}.go`), "");

async function probe({ url }: ServerProcess, path: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, body: await answer.json() };
}

/** Tells it to stop, and waits until it has heard. */
async function beginToStop(server: ServerProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  server.child.kill(signal);
  await until(async () => (await probe(server, "/ready")).status === 503);
}

/** How the calls and the turn of a session ended, in order. */
function ends(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "turn.completed" || event.type === "turn.resumed" || event.type === "turn.started")
      return [event.type];
    if (event.type === "turn.failed") return [`${event.type} ${event.error.code}`];
    if (event.type !== "item.completed" || !isToolItem(event.item)) return [];
    return [`${event.item.status}: ${outputText(event.item.output ?? []).trim()}`];
  });
}

const full = (...steps: readonly object[]): CreateSession => ({
  autonomy: "full",
  prompt: { text: script(...steps, { say: "Done." }) },
});

/** What a server that has stopped must not leave. */
async function remains({ home }: Place): Promise<readonly string[]> {
  const names = await readdir(home);
  return ["server.json", "sallyport.db.pid", "model.sock"].filter((name) => names.includes(name));
}

for (const engine of sample(["loop", "claude-sdk"], 1)) {
  it(`records a command that ends while the server drains, and goes on after the restart (${engine})`, async () => {
    const place = await makePlace();
    const first = await startServer(place, PATIENT);
    const id = await running(first, place, { ...full(untilFile("one")), engine });
    await beginToStop(first);
    await letEnd(place, "one");
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(await remains(place)).toEqual([]);
    expect(await leftBehind(place)).toEqual([]);
    const second = await startServer(place);
    expect(ends(await untilTurnEnds(second.client, id))).toEqual([
      "turn.started",
      "completed: one is done",
      "turn.resumed",
      "turn.completed",
    ]);
    expect(await ran(place)).toEqual(["one"]);
    await second.stop();
    await place.remove();
  });
}

it("refuses new work with the time to come back, and says so at /ready but not at /health", async () => {
  const place = await makePlace();
  const server = await startServer(place, PATIENT);
  expect(await probe(server, "/ready")).toEqual({ status: 200, body: { status: "ready" } });
  const id = await running(server, place, full(untilFile("one")));
  const { id: idle } = await server.client.createSession({});
  await beginToStop(server);
  const notReady = {
    status: 503,
    body: { status: "not_ready", reasons: [{ code: "shutting_down", message: "The server is stopping." }] },
  };
  expect(await probe(server, "/ready")).toEqual(notReady);
  expect(await probe(server, "/readyz")).toEqual(notReady);
  expect(await probe(server, "/health")).toMatchObject({ status: 200, body: { status: "ok", store: "ok" } });
  expect(await probe(server, "/livez")).toMatchObject({ status: 200, body: { status: "ok" } });
  const refused: unknown[] = [];
  for (const [path, body] of [
    ["/api/sessions", {}],
    ["/api/sessions", { prompt: { text: "hello" } }],
    [`/api/sessions/${id}/prompts`, { text: "queued" }],
    [`/api/sessions/${idle}/prompts`, { text: "hello" }],
    [`/api/sessions/${idle}/fork`, {}],
  ] as const) {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { error } = (await answer.json()) as { error: { code: string } };
    refused.push([answer.status, error.code, answer.headers.get("retry-after")]);
  }
  expect(refused).toEqual(Array.from({ length: 5 }, () => [503, "shutting_down", "5"]));
  await letEnd(place, "one");
  expect(await server.exited).toEqual({ code: 0, signal: null });
  await place.remove();
});

it("begins neither the next call nor the next prompt, and runs each once after the restart", async () => {
  const place = await makePlace();
  const first = await startServer(place, PATIENT);
  const two = {
    tools: [untilFile("one"), { tool: "Bash", input: { command: "echo two >> ran.txt; echo two is done" } }],
  };
  const id = await running(first, place, full(two));
  const next = { text: script({ tool: "Bash", input: { command: "echo three >> ran.txt" } }) };
  await first.client.prompt(id, next);
  await beginToStop(first);
  await letEnd(place, "one");
  await first.exited;
  expect(await ran(place)).toEqual(["one"]);
  const second = await startServer(place);
  const events = await untilTurnEnds(second.client, id);
  expect(ends(events)).toEqual([
    "turn.started",
    "completed: one is done",
    "turn.resumed",
    "completed: two is done",
    "turn.completed",
  ]);
  await untilTurnEnds(second.client, id, { after: events.at(-1)?.seq ?? 0 });
  expect(await ran(place)).toEqual(["one", "two", "three"]);
  await second.stop();
  await place.remove();
});

it("is not held up by a question, and takes its answer while something else still runs", async () => {
  const place = await makePlace();
  const first = await startServer(place, PATIENT);
  const asking = (name: string): CreateSession => ({
    unattended: "park",
    prompt: { text: script({ tool: "Bash", input: { command: `echo ${name} >> ran.txt` } }, { say: "Done." }) },
  });
  const [answered, open] = await Promise.all(
    ["answered", "open"].map((name) => first.client.createSession(asking(name))),
  );
  const questions = await Promise.all(
    [answered, open].map(async (session) => {
      for await (const frame of first.client.watch(session?.id ?? ""))
        if (frame.type === "approval.requested") return frame.approval;
      throw new Error("no question");
    }),
  );
  await running(first, place, full(untilFile("one")));
  await beginToStop(first);
  const [question] = questions;
  if (question === undefined) throw new Error("no question");
  const { id, input_hash } = question;
  expect(await first.client.decide(id, { decision: "approve", input_hash })).toMatchObject({ status: "approved" });
  await letEnd(place, "one");
  expect(await first.exited).toEqual({ code: 0, signal: null });
  expect(await ran(place)).toEqual(["one"]);
  const second = await startServer(place);
  await untilTurnEnds(second.client, answered?.id ?? "");
  expect(await ran(place)).toEqual(["one", "answered"]);
  const { approvals } = await second.client.approvals({ status: "pending" });
  expect(approvals.map((approval) => approval.id)).toEqual([questions[1]?.id]);
  // Nothing but a question is open now: nobody waits an hour.
  await second.stop();
  await place.remove();
});

it("lets a model finish its answer", async () => {
  const place = await makePlace();
  const first = await startServer(place, PATIENT);
  const { id } = await first.client.createSession({
    prompt: { text: script({ say: "First." }, { delay_ms: 1_000 }, { say: " Last." }) },
  });
  for await (const frame of first.client.watch(id)) if (frame.type === "item.delta") break;
  await first.stop();
  const second = await startServer(place);
  expect(ends(await untilTurnEnds(second.client, id))).toEqual(["turn.started", "turn.completed"]);
  await second.stop();
  await place.remove();
});

it("ends what still runs when the time is up", async () => {
  const place = await makePlace();
  const first = await startServer(place, { SALLYPORT_DRAIN_SECONDS: "0" });
  const id = await running(first, place, full(untilFile("one")));
  await first.stop();
  expect(first.log()).toContain("the time to drain is up");
  expect(await leftBehind(place)).toEqual([]);
  const second = await startServer(place);
  const events = ends(await untilTurnEnds(second.client, id));
  expect(events).toEqual([
    "turn.started",
    "turn.resumed",
    expect.stringMatching(/^interrupted: The server stopped while this tool ran, so its outcome is unknown/),
    "turn.completed",
  ]);
  await second.stop();
  await place.remove();
});

for (const signal of sample(["SIGTERM", "SIGINT", "SIGHUP"] as const, 1)) {
  it(`does not wait after a second signal, and leaves nothing (${signal})`, async () => {
    const place = await makePlace();
    const server = await startServer(place, PATIENT);
    await running(server, place, full(untilFile("one")));
    expect(await remains(place)).toEqual(["server.json", "sallyport.db.pid", "model.sock"]);
    await beginToStop(server, signal);
    server.child.kill(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(await remains(place)).toEqual([]);
    expect(await leftBehind(place)).toEqual([]);
    await place.remove();
  });
}

describe("while another program has locked the database and a turn runs", () => {
  /** A server whose model talks, which has found out that it cannot write. */
  async function locked(
    place: Place,
    environment: Readonly<Record<string, string>>,
  ): Promise<{ readonly server: ServerProcess; readonly id: string; readonly release: () => void }> {
    const server = await startServer(place, environment);
    const { id } = await server.client.createSession({
      prompt: { text: script({ stream: { tokens: 300, per_second: 50 } }, { say: "Done." }) },
    });
    for await (const frame of server.client.watch(id)) if (frame.type === "item.delta") break;
    const database = (await loadSqlite())(join(place.home, "sallyport.db"));
    database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
    await server.client.createToken({ role: "viewer", name: "finds out" }).catch(() => undefined);
    await until(async () => (await server.client.health()).store === "stalled");
    return { server, id, release: () => database.close() };
  }

  it("ends when the time is up, and the next start goes on", async () => {
    const place = await makePlace();
    const { server, id, release } = await locked(place, { SALLYPORT_DRAIN_SECONDS: "0" });
    server.child.kill("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    release();
    const second = await startServer(place);
    expect(ends(await untilTurnEnds(second.client, id)).at(-1)).toBe("turn.completed");
    await second.stop();
    await place.remove();
  });

  it("ends after a second signal, however long the others have, and is never aborted", async () => {
    const place = await makePlace();
    for (const more of sample([1, 2], 1)) {
      const { server, release } = await locked(place, PATIENT);
      server.child.kill("SIGTERM");
      await until(async () => JSON.stringify(await probe(server, "/ready")).includes("shutting_down"));
      for (let sent = 0; sent < more; sent += 1) server.child.kill("SIGTERM");
      expect([
        { code: 0, signal: null },
        { code: null, signal: "SIGTERM" },
      ]).toContainEqual(await server.exited);
      release();
      await until(async () => (await leftBehind(place)).length === 0);
    }
    await place.remove();
  });
});

for (const signal of sample(["SIGQUIT", "SIGABRT"] as const, 1)) {
  it(`leaves no process after ${signal}`, async () => {
    const place = await makePlace();
    const server = await startServer(place);
    await running(
      server,
      place,
      full({ tool: "Bash", input: { command: "echo $$ > pid.txt; echo one > ran.txt; sleep 1000" } }),
    );
    const pid = Number(await readFile(join(place.workspace, "pid.txt"), "utf8"));
    server.child.kill(signal);
    await server.exited;
    await until(async () => !isAlive(pid) && (await leftBehind(place)).length === 0);
    await place.remove();
  });
}
