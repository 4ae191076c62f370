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
import { ownPort } from "./port.ts";
import { leftBehind, makePlace, startServer, TEST_TOKEN, type Place, type ServerProcess } from "./server.ts";

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

const script = (steps: readonly object[]): string => `Do as told.\nsim: ${JSON.stringify(steps)}`;
const bash = (word: string): object => ({ tool: "Bash", input: { command: `echo ${word} >> effects.txt` } });
const task = (steps: readonly object[]): object => ({
  tool: "Task",
  input: { description: "a part of it", prompt: script(steps) },
});
/** Each appends its word to a file. The last two are a sub-agent's and its own sub-agent's. */
const COMMANDS = ["one", "two", "three", "four", "five"] as const;

/** The demo model has a price here, and the session a limit that its first request would pass: money is part of its life. */
const SETTINGS = "prices:\n  sim: { input: 1000000, output: 1000000 }\n";
const FIRST_LIMIT = 1_000;

const PROMPTS = {
  first: script([
    { say: "I begin." },
    { tool: "Read", input: { file_path: "seed.txt" } },
    bash("one"),
    { say: "One is done." },
  ]),
  second: script([
    {
      tools: [
        bash("two"),
        bash("three"),
        task([bash("four"), task([bash("five"), { say: "Five is done." }]), { say: "Four is done." }]),
      ],
    },
    { say: "All is done." },
  ]),
  third: script([{ stream: { tokens: 100_000, per_second: 500 } }]),
};

export interface Lived {
  readonly events: readonly JournalEvent[];
  readonly journal: readonly JournalEvent[];
  readonly turns: readonly string[];
  readonly effects: readonly string[];
  readonly pending: number;
  readonly money: SessionUsage;
  readonly left: readonly number[];
  readonly kills: number;
  readonly forkStatus: string;
}

/**
 * One session's whole life against a server that may die at any moment: two prompts, the second queued, five approved
 * commands, some beside each other and some of nested sub-agents, an interrupted turn, a fork, the end. The client never gives up and never sends anything under a new key.
 */
export async function live(options: {
  readonly starts: (start: number) => Readonly<Record<string, string>>;
  readonly onFrame?: (frame: StreamFrame, phoenix: Phoenix) => void;
}): Promise<Lived> {
  const place = await makePlace();
  await writeFile(join(place.workspace, "seed.txt"), "seed\n");
  await mkdir(place.home);
  await writeFile(join(place.home, "sallyport.yaml"), SETTINGS);
  const phoenix = new Phoenix(place, await ownPort(), options.starts);
  const { client } = phoenix;
  try {
    const session = await phoenix.insist(() =>
      client.createSession({ max_cost_microusd: FIRST_LIMIT }, { key: "create" }),
    );
    const turns = [
      (await phoenix.insist(() => client.prompt(session.id, { text: PROMPTS.first }, { key: "first" }))).turn_id,
      (await phoenix.insist(() => client.prompt(session.id, { text: PROMPTS.second }, { key: "second" }))).turn_id,
    ];
    const events: JournalEvent[] = [];
    const chores: Promise<unknown>[] = [];
    let ended = 0;
    let forkStatus = "";
    for await (const frame of client.watch(session.id)) {
      options.onFrame?.(frame, phoenix);
      if (!("seq" in frame)) continue;
      events.push(frame);
      if (frame.type === "approval.requested")
        chores.push(approve(phoenix, frame.approval.id, frame.approval.input_hash));
      if (frame.type === "turn.started" && frame.prompt.text === PROMPTS.third)
        chores.push(phoenix.insist(() => client.control(session.id, "interrupt")));
      if (!isTerminal(frame)) continue;
      ended += 1;
      if (ended === 2)
        chores.push(
          phoenix
            .insist(() => client.prompt(session.id, { text: PROMPTS.third }, { key: "third" }))
            .then(({ turn_id }) => turns.push(turn_id)),
        );
      if (ended === 3) chores.push(finish(phoenix, session.id).then((status) => (forkStatus = status)));
    }
    await Promise.all(chores);
    const journal: JournalEvent[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: { events: JournalEvent[]; next?: number } = await phoenix.insist(() =>
        client.events(session.id, { after: after ?? 0, limit: 500 }),
      );
      journal.push(...page.events);
      after = page.next;
    }
    const { approvals } = await phoenix.insist(() => client.approvals({ status: "pending" }));
    const money = await phoenix.insist(() => client.sessionUsage(session.id));
    const left = await leftBehind(place);
    const effects = (await readFile(join(place.workspace, "effects.txt"), "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line !== "");
    return {
      events,
      journal,
      turns,
      effects,
      pending: approvals.length,
      money,
      left,
      kills: phoenix.kills,
      forkStatus,
    };
  } finally {
    await phoenix.stop();
    await place.remove();
  }
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

/** What must hold whatever happened; answers what does not. */
export function broken(lived: Lived): readonly string[] {
  const { events, journal, turns, effects } = lived;
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  check(JSON.stringify(events) === JSON.stringify(journal), "the watcher did not see exactly the journal");
  check(
    events.every((event, index) => event.seq === index + 1),
    "the journal has a gap or a double",
  );
  for (const turn of turns) {
    const ends = events.filter((event) => isTerminal(event) && event.turn_id === turn);
    check(ends.length === 1, `turn ${turn} has ${ends.length} ends`);
  }
  check(events.filter(isTerminal).length === turns.length, "there are ends of other turns");
  const open = new Set<string>();
  const completed = new Map<string, number>();
  for (const event of events) {
    if (event.type === "item.started") open.add(event.item.id);
    if (event.type !== "item.completed") continue;
    check(open.delete(event.item.id), `item ${event.item.id} was completed twice or never started`);
    if (event.item.type === "command_execution" && event.item.status === "completed") {
      const word = /echo (\w+)/.exec(event.item.command)?.[1] ?? "";
      completed.set(word, (completed.get(word) ?? 0) + 1);
    }
  }
  check(open.size === 0, "items were left open");
  for (const word of COMMANDS) {
    const ran = effects.filter((line) => line === word).length;
    check(ran <= 1, `the command ${word} ran ${ran} times`);
    check(ran === 1 || completed.get(word) !== 1, `the command ${word} is told to have run and did not`);
  }
  const asked = events.filter((event) => event.type === "approval.requested").map(({ approval }) => approval.id);
  const answered = events.filter((event) => event.type === "approval.resolved").map(({ approval_id }) => approval_id);
  check(JSON.stringify([...asked].sort()) === JSON.stringify([...answered].sort()), "an approval has no answer or two");
  check(lived.pending === 0, "approvals wait for ever");
  const told = events.reduce(
    (sum, event) => sum + (event.type === "budget.updated" ? (event.cost_microusd ?? 0) : 0),
    0,
  );
  const { reserved_microusd, cost_microusd, limit_microusd = 0 } = lived.money;
  check(reserved_microusd === 0, `${reserved_microusd} micro-USD are still set aside`);
  check(
    cost_microusd > 0 && told > 0 && told <= cost_microusd,
    `the journal tells ${told} of ${cost_microusd} micro-USD`,
  );
  check(cost_microusd <= limit_microusd, `${cost_microusd} of ${limit_microusd} micro-USD were spent`);
  check(lived.left.length === 0, `${lived.left.length} processes are left`);
  check(lived.forkStatus === "ready", `the fork is ${lived.forkStatus}`);
  return faults;
}
