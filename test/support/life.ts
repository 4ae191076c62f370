import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SallyportClient } from "../../src/client/index.ts";
import {
  Failure,
  isTerminal,
  type JournalEvent,
  type SessionUsage,
  type StreamFrame,
} from "../../src/protocol/index.ts";
import { EXECUTABLE } from "../engines/claude/world.ts";
import { LifePage } from "./life-page.ts";
import { EFFECTS, promptsFor, SEEDS, type LifeEngine } from "./life-script.ts";
import { ownPort } from "./port.ts";
import { leftBehind, makePlace, startServer, TEST_TOKEN, type Place, type ServerProcess } from "./server.ts";
import { endServer } from "./vendor/app.ts";
import { Mind, MIND_KEY, mindSettings } from "./vendor/mind.ts";

/** A server on one address that is started again whenever it is killed. */
export class Phoenix {
  readonly client: SallyportClient;
  kills = 0;
  readonly #place: Place;
  readonly #port: number;
  #running: Promise<ServerProcess>;
  #stopping = false;
  readonly #starts: (start: number) => Readonly<Record<string, string>>;

  /** `starts`: the environment of the n-th start, 0 first. */
  constructor(place: Place, port: number, starts: (start: number) => Readonly<Record<string, string>>) {
    this.#place = place;
    this.#port = port;
    this.#starts = starts;
    this.client = new SallyportClient({ url: `http://127.0.0.1:${port}`, token: TEST_TOKEN });
    this.#running = this.#start(0);
  }

  get running(): Promise<ServerProcess> {
    return this.#running;
  }

  async #start(count: number): Promise<ServerProcess> {
    const server = await startServer(this.#place, { SALLYPORT_PORT: String(this.#port), ...this.#starts(count) });
    void server.exited.then(({ signal }) => {
      if (this.#stopping) return;
      if (signal === "SIGKILL") this.kills += 1;
      this.#running = this.#start(count + 1);
    });
    return server;
  }

  /** Asks until a server has answered: what a client does whose connection broke. A refusal is an answer. */
  async insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      await this.#running;
      try {
        return await ask();
      } catch (error) {
        if (error instanceof Failure && error.code !== "shutting_down") throw error;
        // The exit is noticed a moment after the connection broke.
        await new Promise((resolve) => setImmediate(resolve));
        const current = this.#running;
        const server = await current;
        await Promise.race([server.exited, server.client.health().catch(() => server.exited)]);
      }
    }
    throw new Error("no server answered");
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await (await this.#running).stop();
  }
}

/** Micro-USD: less than the first request may cost, so that money is part of a life. */
const FIRST_LIMIT = 1_000;
/** Far more than one takes, also where many run at once. */
const LIFE_MS = 600_000;

export interface Lived {
  readonly engine: LifeEngine;
  readonly events: readonly JournalEvent[];
  readonly journal: readonly JournalEvent[];
  readonly turns: readonly string[];
  /** Words that commands have written. */
  readonly effects: readonly string[];
  /** Words that the page did. */
  readonly onPage: readonly string[];
  readonly pending: number;
  readonly money: SessionUsage;
  /** Whole answers of the model. */
  readonly answers: number;
  /** Processes of sessions when the server had been stopped. */
  readonly left: readonly number[];
  readonly kills: number;
  readonly forkStatus: string;
}

interface LifeOptions {
  /** Absent: `loop`. */
  readonly engine?: LifeEngine;
  readonly starts: (start: number) => Readonly<Record<string, string>>;
  readonly onFrame?: (frame: StreamFrame, phoenix: Phoenix) => void;
}

/**
 * One session's whole life against a server that may die at any moment: two prompts, the second queued, approved commands and calls of
 * a page, some beside each other and some of nested sub-agents, an interrupted turn, a fork, the end. The client and the page never
 * give up, and nothing is sent under a new key. The model lives outside the server and repeats nothing that it knows of.
 */
export async function live(options: LifeOptions): Promise<Lived> {
  const { engine = "loop" } = options;
  const place = await makePlace();
  const mind = await Mind.open();
  for (const name of SEEDS) await writeFile(join(place.workspace, name), "seed\n");
  await mkdir(place.home);
  await writeFile(join(place.home, "sallyport.yaml"), mindSettings(mind));
  const port = await ownPort();
  const environment = { MIND_KEY, SALLYPORT_CLAUDE: EXECUTABLE };
  const phoenix = new Phoenix(place, port, (start) => ({ ...environment, ...options.starts(start) }));
  const page = new LifePage(`http://127.0.0.1:${port}`);
  const events: JournalEvent[] = [];
  try {
    const lived = await passLife({ ...options, engine, phoenix, place, page, events });
    const kills = phoenix.kills;
    page.close();
    await phoenix.stop();
    return { ...lived, engine, events, onPage: page.ran, answers: mind.answers, left: await leftBehind(place), kills };
  } catch (error) {
    const last = events.slice(-12).map((event) => JSON.stringify(event).slice(0, 300));
    throw new Error(`${engine}: ${String(error)}\n${last.join("\n")}`, { cause: error });
  } finally {
    page.close();
    await endPhoenix(phoenix, place);
    await mind.close();
    await place.remove();
  }
}

interface LifeParts extends LifeOptions {
  readonly engine: LifeEngine;
  readonly phoenix: Phoenix;
  readonly place: Place;
  readonly page: LifePage;
  /** Gets what is seen. */
  readonly events: JournalEvent[];
}

type PassedLife = Pick<Lived, "journal" | "turns" | "effects" | "pending" | "money" | "forkStatus">;

async function passLife({ engine, phoenix, place, page, events, onFrame }: LifeParts): Promise<PassedLife> {
  const { client } = phoenix;
  const prompts = promptsFor(engine, place);
  const { id } = await phoenix.insist(() =>
    client.createSession({ engine, max_cost_microusd: FIRST_LIMIT }, { key: "create" }),
  );
  await page.offer(id);
  const send = async (name: keyof typeof prompts): Promise<string> =>
    (await phoenix.insist(() => client.prompt(id, { text: prompts[name] }, { key: name }))).turn_id;
  const turns = [await send("first"), await send("second")];
  const chores: Promise<unknown>[] = [];
  let ended = 0;
  let isInterrupted = false;
  let forkStatus = "";
  const late = AbortSignal.timeout(LIFE_MS);
  for await (const frame of client.watch(id, { signal: late })) {
    onFrame?.(frame, phoenix);
    if (frame.type === "item.delta" && ended === 2 && !isInterrupted) {
      isInterrupted = true;
      chores.push(phoenix.insist(() => client.control(id, "interrupt")));
    }
    if (!("seq" in frame)) continue;
    events.push(frame);
    if (frame.type === "approval.requested")
      chores.push(approve(phoenix, frame.approval.id, frame.approval.input_hash));
    if (!isTerminal(frame)) continue;
    ended += 1;
    if (ended === 2) chores.push(send("third").then((turn) => turns.push(turn)));
    if (ended === 3) chores.push(finish(phoenix, id).then((status) => (forkStatus = status)));
  }
  if (late.aborted) throw new Error("the life did not end in time");
  await Promise.all(chores);
  const { approvals } = await phoenix.insist(() => client.approvals({ status: "pending" }));
  const effects = await readFile(join(place.workspace, EFFECTS), "utf8").catch(() => "");
  return {
    journal: await journalOf(phoenix, id),
    turns,
    effects: effects.split("\n").filter((line) => line !== ""),
    pending: approvals.length,
    money: await phoenix.insist(() => client.sessionUsage(id)),
    forkStatus,
  };
}

async function journalOf(phoenix: Phoenix, id: string): Promise<readonly JournalEvent[]> {
  const journal: JournalEvent[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: { events: JournalEvent[]; next?: number } = await phoenix.insist(() =>
      phoenix.client.events(id, { after: after ?? 0, limit: 500 }),
    );
    journal.push(...page.events);
    after = page.next;
  }
  return journal;
}

/** Whatever happened: nothing of it goes on. */
export async function endPhoenix(phoenix: Phoenix, place: Place): Promise<void> {
  const running = phoenix.running.catch(() => undefined);
  phoenix.stop().catch(() => undefined);
  const server = await running;
  if (server !== undefined) await endServer(server, place);
}

async function approve(phoenix: Phoenix, id: string, input_hash: string): Promise<void> {
  try {
    await phoenix.insist(() => phoenix.client.decide(id, { decision: "approve", input_hash }));
  } catch (error) {
    // The answer was taken, only the server's word for it was lost.
    if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
  }
}

async function finish(phoenix: Phoenix, id: string): Promise<string> {
  const child = await phoenix.insist(() => phoenix.client.fork(id, {}, { key: "fork" }));
  await phoenix.insist(() => phoenix.client.control(id, "close"));
  return (await phoenix.insist(() => phoenix.client.session(child.id))).status;
}
