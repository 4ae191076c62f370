import { WebSocket } from "ws";
import { LiveConnection } from "../../src/client/index.ts";
import { isToolItem, outputText, type JournalEvent } from "../../src/protocol/index.ts";
import { script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { NUMBERS, Tab, type Message } from "./page-world.ts";

/** What happens to the page at one call. */
const FAULTS = [
  "none",
  "cut before the call arrives",
  "cut while it runs",
  "cut before the answer leaves",
  "cut after the answer left",
  "reload before the call arrives",
  "reload while it runs",
  "reload after the answer left",
  "closed while it runs",
  "closed before the call arrives",
  "offline for a while",
  "offline for long",
  "slow wire",
  "slow handler",
  "never answers",
] as const;
type Fault = (typeof FAULTS)[number];

const TIMEOUT_MS = 900;
/** What the machine may take besides: two cores, everything in one process. */
const SLACK_MS = 1_500;
const CALLS_PER_TURN = 8;

/** The same numbers for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What one call came to: what the agent was told, and how often the page ran it. */
export interface Outcome {
  readonly n: number;
  readonly fault: Fault;
  readonly answers: readonly string[];
  readonly runs: number;
  /** Longer than its time and what the machine may take. */
  readonly hung: boolean;
}

interface Hooks {
  isOffline(): boolean;
  opened(wire: WebSocket): void;
  /** True where the page does not get to see it. */
  arrives(wire: WebSocket, message: Message): boolean;
  leaves(wire: WebSocket, message: Message, send: () => void): void;
  /** Milliseconds. */
  lag(message: Message): number;
}

/** A WebSocket to which things happen. */
function wireWith(hooks: Hooks): typeof WebSocket {
  class Wire extends WebSocket {
    #before: Promise<void> = Promise.resolve();

    constructor(url: string, protocols: string[]) {
      super(hooks.isOffline() ? "ws://127.0.0.1:1/" : url, protocols);
      hooks.opened(this);
    }

    override addEventListener(type: never, listener: never): void {
      if (type !== "message") return super.addEventListener(type, listener);
      const hear = listener as (event: { readonly data: unknown }) => void;
      super.addEventListener("message", (event) => {
        const message = JSON.parse((event.data as Buffer).toString()) as Message;
        if (message["type"] === "tool.call" && hooks.arrives(this, message)) return;
        const ms = hooks.lag(message);
        // Nothing overtakes what is slow.
        this.#before = this.#before.then(() => (ms === 0 ? undefined : wait(ms))).then(() => hear(event));
      });
    }

    override send(data: never): void {
      const message = JSON.parse(String(data)) as Message;
      if (message["type"] !== "tool.result") return super.send(data);
      hooks.leaves(this, message, () => super.send(data));
    }
  }
  return Wire as unknown as typeof WebSocket;
}

/** One tab with one page that offers one tool, and everything that can happen to it. */
class ChaosPage {
  readonly runs = new Map<number, number>();
  readonly #app: TestApp;
  readonly #session: string;
  readonly #faults: (n: number) => Fault;
  readonly #random: () => number;
  #tab = new Tab();
  #live: LiveConnection | undefined;
  #wire: WebSocket | undefined;
  #offlineUntil = 0;
  /** Faults that happened already: a call that is offered again is left alone. */
  readonly #done = new Set<string>();
  /** By call: which number it is about. */
  readonly #numbers = new Map<string, number>();

  constructor(app: TestApp, session: string, chaos: { faults: (n: number) => Fault; random: () => number }) {
    this.#app = app;
    this.#session = session;
    this.#faults = chaos.faults;
    this.#random = chaos.random;
  }

  async open(): Promise<void> {
    const { url, token } = this.#app.serving;
    const Wire = wireWith({
      isOffline: () => Date.now() < this.#offlineUntil,
      opened: (wire) => {
        this.#wire = wire;
      },
      arrives: (wire, message) => this.#arrives(wire, message),
      leaves: (wire, message, send) => this.#leaves(wire, message, send),
      lag: (message) => this.#lag(message),
    });
    this.#live = new LiveConnection({ url, token, WebSocket: Wire, window: this.#tab });
    const handler = ({ n }: { n: number }): Promise<string> => this.#run(n);
    const tools = [{ name: "act", description: "Acts.", schema: NUMBERS, timeoutMs: TIMEOUT_MS, handler }];
    await this.#live.offer(this.#session, { page: "app", tools }).ready();
  }

  close(): void {
    this.#live?.close();
  }

  async #run(n: number): Promise<string> {
    this.runs.set(n, (this.runs.get(n) ?? 0) + 1);
    await wait(this.#random() * 40);
    switch (this.#once(n, "run")) {
      case "cut while it runs":
        this.#wire?.terminate();
        break;
      case "reload while it runs":
        this.#reload();
        break;
      case "closed while it runs":
        this.#replace();
        break;
      case "offline for a while":
        this.#offline(this.#random() * 300);
        break;
      case "offline for long":
        this.#offline(TIMEOUT_MS + this.#random() * 500);
        break;
      case "slow handler":
        await wait(TIMEOUT_MS * (0.5 + this.#random()));
        break;
      case "never answers":
        await new Promise(() => undefined);
        break;
      case undefined:
      case "none":
      case "cut before the call arrives":
      case "cut before the answer leaves":
      case "cut after the answer left":
      case "reload before the call arrives":
      case "reload after the answer left":
      case "closed before the call arrives":
      case "slow wire":
    }
    await wait(this.#random() * 40);
    return `did ${n}`;
  }

  #arrives(wire: WebSocket, message: Message): boolean {
    const { n } = message["input"] as { n: number };
    this.#numbers.set(String(message["call_id"]), n);
    const fault = this.#once(n, "arrive");
    if (fault === "cut before the call arrives") wire.terminate();
    else if (fault === "reload before the call arrives") this.#reload();
    else if (fault === "closed before the call arrives") this.#replace();
    else return false;
    return true;
  }

  #leaves(wire: WebSocket, message: Message, send: () => void): void {
    const fault = this.#once(this.#numbers.get(String(message["call_id"])) ?? -1, "leave");
    if (fault === "cut before the answer leaves") {
      wire.terminate();
      return;
    }
    send();
    if (fault === "cut after the answer left") wire.terminate();
    if (fault === "reload after the answer left") this.#reload();
  }

  #lag(message: Message): number {
    const n = this.#numbers.get(String(message["call_id"]));
    return n !== undefined && this.#faults(n) === "slow wire" ? this.#random() * TIMEOUT_MS * 0.6 : 0;
  }

  /** The fault of this call, the first time that it comes to this point. */
  #once(n: number, point: string): Fault | undefined {
    if (this.#done.has(`${n} ${point}`)) return undefined;
    this.#done.add(`${n} ${point}`);
    return this.#faults(n);
  }

  #offline(ms: number): void {
    this.#offlineUntil = Date.now() + ms;
    this.#wire?.terminate();
  }

  #reload(): void {
    if (this.#live !== undefined) this.#tab.reload(this.#live);
    this.#reopen(this.#random() * 200);
  }

  /** Somebody closes the tab and opens the page in another one. */
  #replace(): void {
    this.#live?.close();
    this.#tab = new Tab();
    this.#reopen(this.#random() * 400);
  }

  #reopen(ms: number): void {
    const opened = wait(ms).then(() => this.open());
    // It may be closed again before it was ready.
    opened.catch(() => undefined);
  }
}

/** So many calls of pages to which something happens at each of them, in some sessions side by side. */
export async function pageChaos(
  app: TestApp,
  { calls, sessions, seed }: { readonly calls: number; readonly sessions: number; readonly seed: number },
): Promise<readonly Outcome[]> {
  const random = dice(seed);
  const plan = Array.from({ length: calls }, (_, n) =>
    n < FAULTS.length ? n : Math.floor(random() * FAULTS.length),
  ).map((index) => FAULTS[index] ?? "none");
  const share = Math.ceil(calls / sessions);
  const one = async (first: number): Promise<readonly Outcome[]> => {
    const { id } = await app.client.createSession({ autonomy: "full", max_turns: 100 });
    const chaos = { faults: (n: number) => plan[n] ?? "none", random: dice(seed + first) };
    const page = new ChaosPage(app, id, chaos);
    await page.open();
    const outcomes: (() => Outcome)[] = [];
    const numbers = Array.from({ length: share }, (_, index) => first + index).filter((n) => n < calls);
    for (let at = 0; at < numbers.length; at += CALLS_PER_TURN) {
      const turn = numbers.slice(at, at + CALLS_PER_TURN);
      const steps = turn.map((n) => ({ tool: "mcp__app__act", input: { n } }));
      const { seq } = await app.client.prompt(id, { text: script(...steps) });
      const events = await untilTurnEnds(app.client, id, { after: seq - 1 });
      outcomes.push(...turn.map((n) => () => outcomeOf(n, { fault: chaos.faults(n), events, page })));
    }
    page.close();
    // What a page might still do once the agent was told is counted, too.
    await wait(TIMEOUT_MS);
    return outcomes.map((outcome) => outcome());
  };
  return (await Promise.all(Array.from({ length: sessions }, (_, index) => one(index * share)))).flat();
}

function outcomeOf(
  n: number,
  {
    fault,
    events,
    page,
  }: { readonly fault: Fault; readonly events: readonly JournalEvent[]; readonly page: ChaosPage },
): Outcome {
  const items = events.flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item) && event.item.input["n"] === n ? [event.item] : [],
  );
  return {
    n,
    fault,
    answers: items.map(({ output }) => outputText(output ?? [])),
    runs: page.runs.get(n) ?? 0,
    hung: items.some(({ duration_ms }) => (duration_ms ?? 0) > TIMEOUT_MS + SLACK_MS),
  };
}

/** What no call may come to. */
export function brokenPromises(outcomes: readonly Outcome[]): readonly string[] {
  const faultOf = new Map(outcomes.map(({ n, fault }) => [n, fault]));
  return outcomes.flatMap(({ n, fault, answers, runs, hung }) => {
    // A page may not have got over what happened at the call before.
    const undisturbed = fault === "none" && faultOf.get(n - 1) === "none";
    const wrong = [
      answers.length === 1 ? "" : `was answered ${answers.length} times`,
      runs > 1 ? `ran ${runs} times` : "",
      hung ? "hung" : "",
      answers[0] === `did ${n}` && runs !== 1 ? "was said to be done and was not" : "",
      (answers[0] ?? "").includes("was not run") && runs > 0 ? "was said not to be run and was" : "",
      undisturbed && answers[0] !== `did ${n}` ? `failed without a fault: ${answers[0] ?? ""}` : "",
    ].filter((words) => words !== "");
    return wrong.map((words) => `call ${n} (${fault}) ${words}`);
  });
}

/** How often each end came, by fault. */
export function ends(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { fault, answers } of outcomes) {
    const end = (answers[0] ?? "").startsWith("did")
      ? "done"
      : (/\((\w+)\)/.exec(answers[0] ?? "")?.[1] ?? "timed_out");
    counts[`${fault}: ${end}`] = (counts[`${fault}: ${end}`] ?? 0) + 1;
  }
  return counts;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
