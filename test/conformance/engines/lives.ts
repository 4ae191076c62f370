import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { Failure } from "../../../src/protocol/index.ts";
import { leftBehind, makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";
import { PROGRAMS, settingsFor, type Bench } from "./bench.ts";
import { pairWithHome } from "./home.ts";
import { journalFaults } from "./journal.ts";
import { marksIn } from "./model.ts";
import { processesOf, until } from "./processes.ts";
import { atDelta, hasProcess, processInTurn } from "./stops.ts";
import { bash, NO, YES, type Scenario, type Seen } from "./scenario.ts";
import { BenchSession } from "./session.ts";

const between: Scenario = {
  name: "the server is restarted between turns: the model still knows what was said",
  async run(bench) {
    const main = await bench.main();
    const before = await main.turn([{ say: "The word is heliotrope." }]);
    await bench.restart();
    const after = await main.turn([{ say: "I remember." }]);
    expect(after.end.type).toBe("turn.completed");
    expect(after.requests.map(marksIn).at(-1)).toContain(before.mark);
    expect(JSON.stringify(after.requests.at(-1)?.messages)).toContain("The word is heliotrope.");
    // Its own record was still there: nothing had to be told again.
    expect(after.notices).toEqual([]);
    return YES;
  },
};

/**
 * A text long enough to be broken off. What follows is there more than once where a restart comes between: a vendor's
 * record may then have a message more than the script was asked for.
 */
const BROKEN_OFF = [{ stream: { tokens: 100, per_second: 100 } }];

const halted: Scenario = {
  name: "the server is stopped in a text: the turn goes on at the next start",
  async run(bench) {
    const main = await bench.main();
    await writeFile(join(bench.workspace, "page.txt"), "a page\n");
    const read = { tool: "Read", input: { file_path: "page.txt" } };
    // Another machine goes on while the server is away: its model must come to an end.
    bench.model.stalls = bench.home === undefined;
    const begun = await main.begin([...BROKEN_OFF, read, read, read, { say: "To the end." }]);
    await main.kind("item.delta", begun.from);
    bench.model.stalls = false;
    await bench.restart();
    const turn = await main.finish(begun);
    expect(turn.frames.filter(({ type }) => type === "turn.resumed")).toHaveLength(1);
    expect(turn.end).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    expect(turn.items.at(-1)).toMatchObject({ type: "agent_message", status: "completed", text: "To the end." });
    const dead = turn.items.filter(({ status }) => status !== "completed");
    expect(dead).toMatchObject([{ type: "agent_message", status: "superseded" }]);
    return bench.home === undefined ? YES : { can: true, words: "yes, and at home meanwhile" };
  },
};

/** A server as a process of its own, so that it can be killed, with a session of the bench's engine. */
export async function withServer(
  bench: Bench,
  life: (server: MortalServer, session: BenchSession) => Promise<Seen>,
): Promise<Seen> {
  const place = await makePlace();
  const open = (): Promise<ServerProcess> => startServer(place, { SALLYPORT_SANDBOX: bench.sandbox, ...PROGRAMS });
  let server: ServerProcess | undefined;
  try {
    await mkdir(place.home);
    await writeFile(join(place.home, "sallyport.yaml"), settingsFor(bench));
    server = await open();
    const wanted =
      bench.home === undefined ? {} : await pairWithHome(bench.home, { client: server.client, place }, "mortal");
    const { id } = await server.client.createSession({ engine: bench.engine, ...wanted });
    const session = new BenchSession(id, { client: server.client, model: bench.model, home: bench.home });
    const killed = async (): Promise<void> => {
      await session.leave();
      await server?.kill();
      server = await open();
      session.join(server.client);
    };
    const seen = await life({ place, workspace: bench.home?.place.workspace ?? place.workspace, killed }, session);
    expect(journalFaults(await session.journal())).toEqual([]);
    await session.leave();
    await server.stop();
    expect(await leftBehind(place)).toEqual([]);
    return seen;
  } finally {
    await server?.kill();
    // Where it failed on the way, nobody else would end these.
    for (const pid of await leftBehind(place).catch(() => [])) process.kill(pid, "SIGKILL");
    await place.remove();
  }
}

interface MortalServer {
  readonly place: Place;
  /** Where the tools of its session work. */
  readonly workspace: string;
  /** It is killed, and another one is started on the same home. */
  killed(): Promise<void>;
}

const killedWhileAsking = (bench: Bench): Promise<Seen> =>
  withServer(bench, async (server, session) => {
    const once = bash("echo once >> once.txt");
    const begun = await session.begin([{ say: "I begin." }, once, { say: "Done." }], { answer: () => undefined });
    const { approval } = await session.kind("approval.requested");
    await server.killed();
    await session.answerWith(() => ({ decision: "approve" }));
    const turn = await session.finish(begun);
    const lines = (await readFile(join(server.workspace, "once.txt"), "utf8")).split("\n").length - 1;
    const ran = turn.calls.filter(({ status }) => status === "completed");
    expect(lines).toBe(1);
    expect(ran.map((call) => call.id)).toEqual([approval.item_id]);
    const resumed = turn.frames.some(({ type }) => type === "turn.resumed") && turn.end.type === "turn.completed";
    return resumed ? YES : NO;
  });

const killed: Scenario = {
  name: "the server is killed while a person is asked: the approved call runs after it",
  shows: "resume_turn",
  run: killedWhileAsking,
};

const fork: Scenario = {
  name: "a fork knows what was before it and nothing after it",
  shows: "fork",
  async run(bench) {
    const parent = await bench.session();
    const first = await parent.turn([{ say: "Alpha." }]);
    let interrupted: Promise<unknown> = Promise.resolve();
    const aborted = await parent.turn([{ stream: { tokens: 100_000, per_second: 100 } }], {
      onFrame: atDelta(1, () => {
        interrupted = parent.client.control(parent.id, "interrupt");
      }),
    });
    await interrupted;
    expect(aborted.end).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    const last = await parent.turn([{ say: "Gamma." }]);
    const fork = (after_turn: string): Promise<{ readonly id: string } | undefined> =>
      bench.client.fork(parent.id, { after_turn }).catch((error: unknown) => {
        if (error instanceof Failure && error.code === "unsupported") return undefined;
        throw error;
      });
    const [early, late] = [await fork(first.id), await fork(last.id)];
    await bench.end(parent);
    if (early === undefined || late === undefined) return NO;
    const known = async (id: string): Promise<readonly string[]> => {
      const child = bench.adopt(id);
      const turn = await child.turn([{ say: "Here." }]);
      expect(turn.end.type).toBe("turn.completed");
      await bench.end(child);
      return [...new Set(turn.requests.flatMap(marksIn))].filter((mark) => mark !== turn.mark);
    };
    expect(await known(early.id)).toEqual([first.mark]);
    expect(await known(late.id)).toEqual([first.mark, aborted.mark, last.mark]);
    return YES;
  },
};

const warm: Scenario = {
  name: "a new session finds a process that has started already",
  shows: "warm",
  async run(bench) {
    // An engine without a process has nothing that could be started ahead.
    if (!(await hasProcess(bench))) return NO;
    const { sessions } = await bench.client.sessions();
    const known = new Set(sessions.map(({ id }) => id));
    // Every session makes one ready for the next, which is nobody's yet.
    const waiting = await until(async () => {
      const processes = await processesOf(bench.app.place);
      return processes.find((each) => each.isVendor && !known.has(each.session));
    });
    if (waiting === undefined) return NO;
    const session = await bench.session();
    const pid = await processInTurn(bench, session);
    await bench.end(session);
    return session.id === waiting.session && pid === waiting.pid ? YES : NO;
  },
};

export const LIVES: readonly Scenario[] = [warm, between, halted, fork, killed];
