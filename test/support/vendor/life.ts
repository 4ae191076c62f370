import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  Failure,
  isTerminal,
  type Approval,
  type JournalEvent,
  type ModelApi,
  type SessionUsage,
  type StreamFrame,
} from "../../../src/protocol/index.ts";
import { EXECUTABLE } from "../../engines/claude/world.ts";
import { endPhoenix, Phoenix } from "../life.ts";
import { ownPort } from "../port.ts";
import { isFullRun } from "../sample.ts";
import { makePlace, type Place, type ServerProcess } from "../server.ts";
import { PROGRAMS_FOLDER } from "../vendor-programs.ts";
import { Mind, MIND_KEY, mindSettings } from "./mind.ts";
import { markedProcesses, noticed, type Marked } from "./processes.ts";
import { decisionOn, EFFECTS, markOf, promptOf, SCENES, SEEDS, type Scene } from "./scenes.ts";
import { cutRecord, isDue, strike, type Strike, type StrikeKind } from "./strike.ts";

/** Micro-USD: less than the first request may cost, so that somebody is asked. */
const FIRST_LIMIT = 1_000;
/** Far more than one takes, also where many run at once. A soak run may have the machine last of all. */
const LIFE_MS = isFullRun ? 1_200_000 : 240_000;

/** For what a life that went wrong tells of itself. */
const STORY_MS = 5_000;
const STORY_CHARS = 4_000;

export interface LifePlan {
  readonly engine: string;
  /** How it asks models. Absent: `messages`. */
  readonly api?: ModelApi;
  /** At most one a turn, so that none is given up for too many restarts. */
  readonly strikes: Readonly<Partial<Record<Scene, Strike>>>;
}

interface Hit {
  readonly kind: StrikeKind;
  /** The turn that it was planned for. */
  readonly scene: Scene;
  /** The turn that it fell in, which may be the next one. Absent: none. */
  readonly during?: Scene | undefined;
  /** The last event that the watcher had seen. */
  readonly seq: number;
}

export interface VendorLife {
  readonly plan: LifePlan;
  /** What was hit. A strike that found nothing to kill is not among it. */
  readonly hits: readonly Hit[];
  readonly events: readonly JournalEvent[];
  readonly journal: readonly JournalEvent[];
  /** Turn ids. */
  readonly turns: Readonly<Record<Scene, string>>;
  /** Lines. */
  readonly effects: readonly string[];
  readonly written: string | undefined;
  readonly pending: number;
  readonly money: SessionUsage;
  /** Whole answers of the model. */
  readonly answers: number;
  readonly heard: Mind["heard"];
  readonly strangers: number;
  /** Processes of the session after it was closed, and of anything after the server was stopped. */
  readonly leftOpen: readonly Marked[];
  readonly leftBehind: readonly Marked[];
  /** Folders of engines that belong to no session. */
  readonly folders: readonly string[];
}

/** One session's life with a vendor's engine: whatever is killed meanwhile, the client never gives up. */
export async function liveWithVendor(plan: LifePlan): Promise<VendorLife> {
  const place = await makePlace();
  const mind = await Mind.open();
  for (const name of SEEDS) await writeFile(join(place.workspace, name), "seed\n");
  await mkdir(place.home);
  await writeFile(join(place.home, "sallyport.yaml"), mindSettings(mind, { api: plan.api }));
  const environment = { MIND_KEY, SALLYPORT_CLAUDE: EXECUTABLE, SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER };
  const phoenix = new Phoenix(place, await ownPort(), () => environment);
  const life = new Life(plan, phoenix, place);
  try {
    const lived = await life.run(mind);
    await phoenix.stop();
    return { ...lived, leftBehind: markedProcesses(place) };
  } catch (error) {
    throw new Error(`${JSON.stringify(plan)}: ${String(error)}; ${await life.story()}`, { cause: error });
  } finally {
    life.over();
    await endPhoenix(phoenix, place);
    await mind.close();
    await place.remove();
  }
}

function isAlive({ exitCode, signalCode }: ServerProcess["child"]): boolean {
  return exitCode === null && signalCode === null;
}

class Life {
  readonly #plan: LifePlan;
  readonly #phoenix: Phoenix;
  readonly #place: Place;
  readonly #over = new AbortController();
  readonly #events: JournalEvent[] = [];
  readonly #hits: Hit[] = [];
  readonly #chores: Promise<unknown>[] = [];
  readonly #struck = new Set<Scene>();
  readonly #scenes = new Map<string, Scene>();
  #session = "";
  #now: { readonly scene: Scene; frames: number; interrupted: boolean } | undefined;
  #wake: (() => void)[] = [];

  constructor(plan: LifePlan, phoenix: Phoenix, place: Place) {
    this.#plan = plan;
    this.#phoenix = phoenix;
    this.#place = place;
    for (const scene of SCENES) this.#scenes.set(promptOf(scene, place), scene);
  }

  over(): void {
    this.#over.abort();
  }

  /** What is known when it went wrong. */
  async story(): Promise<string> {
    const last = this.#events.slice(-12).map((event) => JSON.stringify(event).slice(0, 200));
    const server = await Promise.race([this.#phoenix.running.catch(() => undefined), pause(100, undefined)]);
    const waited = await Promise.race([
      this.#waitedFor(),
      pause(STORY_MS, "the server does not say what it waits for"),
    ]);
    return [JSON.stringify(this.#hits), ...last, waited, server?.log().slice(-2_000) ?? ""].join("\n");
  }

  /** What the session waits for, by its server: an answer, a process, or nothing. */
  async #waitedFor(): Promise<string> {
    const { client } = this.#phoenix;
    const ask = async (): Promise<object> => ({
      session: await client.session(this.#session),
      pending: (await client.approvals({ status: "pending" })).approvals.map(({ id, tool, input }) => ({
        id,
        tool,
        input,
      })),
      processes: markedProcesses(this.#place).map(({ pid, session, words }) => ({
        pid,
        session,
        words: words.slice(0, 3),
      })),
    });
    return JSON.stringify(await ask().catch(String)).slice(0, STORY_CHARS);
  }

  async run(mind: Mind): Promise<Omit<VendorLife, "leftBehind">> {
    const { client } = this.#phoenix;
    const { engine } = this.#plan;
    const late = setTimeout(() => this.#over.abort(new Error("it did not end in time")), LIFE_MS);
    const session = await this.#phoenix.insist(() =>
      client.createSession({ engine, max_cost_microusd: FIRST_LIMIT }, { key: "create" }),
    );
    this.#session = session.id;
    // Nothing is seen any more without it: what it fails with is why the life does not go on.
    const watching = this.#watch().catch((error: unknown) => this.#over.abort(error));
    const turns: Partial<Record<Scene, string>> = {};
    for (const scenes of [["commands", "queued"], ["interrupted"], ["refused"], ["afterwards"]] as const) {
      for (const scene of scenes) turns[scene] = await this.#send(scene);
      for (const scene of scenes) await this.#end(turns[scene] ?? "");
      await this.#settle();
    }
    const { heard } = mind;
    await this.#phoenix.insist(() => client.control(session.id, "close"));
    await watching;
    clearTimeout(late);
    this.#over.signal.throwIfAborted();
    const { id } = session;
    const { approvals } = await this.#phoenix.insist(() => client.approvals({ status: "pending" }));
    const effects = await readFile(join(this.#place.workspace, EFFECTS), "utf8").catch(() => "");
    return {
      plan: this.#plan,
      hits: this.#hits,
      events: this.#events,
      journal: await this.#journal(),
      turns: turns as Record<Scene, string>,
      effects: effects.split("\n").filter((line) => line !== ""),
      written: await readFile(join(this.#place.workspace, "did-1w.txt"), "utf8").catch(() => undefined),
      pending: approvals.length,
      money: await this.#phoenix.insist(() => client.sessionUsage(id)),
      answers: mind.answers,
      heard,
      strangers: mind.strangers.length,
      leftOpen: markedProcesses(this.#place).filter((entry) => entry.session === id),
      folders: await this.#strayFolders(),
    };
  }

  async #send(scene: Scene): Promise<string> {
    const text = promptOf(scene, this.#place);
    const { client } = this.#phoenix;
    return (await this.#phoenix.insist(() => client.prompt(this.#session, { text }, { key: scene }))).turn_id;
  }

  async #end(turn_id: string): Promise<void> {
    while (!this.#events.some((event) => isTerminal(event) && event.turn_id === turn_id)) {
      if (this.#over.signal.aborted) throw new Error(`${turn_id} has no end: ${String(this.#over.signal.reason)}`);
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        this.#over.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  /** Resolves when all that was begun beside the turns is over. */
  async #settle(): Promise<void> {
    for (let seen = -1; seen < this.#chores.length;) {
      seen = this.#chores.length;
      await Promise.all(this.#chores);
    }
  }

  async #watch(): Promise<void> {
    for await (const frame of this.#phoenix.client.watch(this.#session, { signal: this.#over.signal })) {
      this.#see(frame);
      for (const wake of this.#wake.splice(0)) wake();
    }
  }

  #see(frame: StreamFrame): void {
    if ("seq" in frame) {
      this.#events.push(frame);
      if (frame.type === "approval.requested") this.#chores.push(this.#answer(frame.approval));
      if (frame.type === "turn.started") {
        const scene = this.#scenes.get(frame.prompt.text);
        this.#now = scene === undefined ? undefined : { scene, frames: -1, interrupted: false };
      }
    }
    const now = this.#now;
    if (now === undefined) return;
    now.frames += 1;
    const ended = isTerminal(frame as JournalEvent);
    const planned = this.#plan.strikes[now.scene];
    if (planned !== undefined && !this.#struck.has(now.scene) && (ended || isDue(planned, frame, now.frames))) {
      this.#struck.add(now.scene);
      this.#chores.push(this.#strike(now.scene, planned));
    }
    if (now.scene === "interrupted" && frame.type === "item.delta" && !now.interrupted) {
      now.interrupted = true;
      const { client } = this.#phoenix;
      this.#chores.push(this.#phoenix.insist(() => client.control(this.#session, "interrupt")));
    }
    if (ended) this.#now = undefined;
  }

  async #answer(approval: Approval): Promise<void> {
    try {
      await this.#phoenix.insist(() => this.#phoenix.client.decide(approval.id, decisionOn(approval)));
    } catch (error) {
      // It was taken and only the server's word for it was lost, or the turn that asked is over.
      if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
    }
  }

  async #strike(scene: Scene, { kind, waitMs, unwritten }: Strike): Promise<void> {
    await pause(waitMs);
    let server = await this.#phoenix.running;
    // One that was just killed is still taken for the running one until its end is noticed.
    for (let round = 0; !isAlive(server.child) && round < 100; round += 1) {
      await server.exited;
      server = await this.#phoenix.running;
    }
    const { pid = 0 } = server.child;
    const target = { place: this.#place, server: pid, session: this.#session };
    const [during, seq] = [this.#now?.scene, this.#events.length];
    const ended = strike(kind, target);
    if (ended.length === 0) return;
    if (unwritten === true) cutRecord(target, markOf(scene));
    this.#hits.push({ kind, scene, during, seq });
    if (kind === "vendor") await noticed(ended);
    else await server.exited;
  }

  async #journal(): Promise<readonly JournalEvent[]> {
    const { client } = this.#phoenix;
    const journal: JournalEvent[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: { events: JournalEvent[]; next?: number } = await this.#phoenix.insist(() =>
        client.events(this.#session, { after: after ?? 0, limit: 500 }),
      );
      journal.push(...page.events);
      after = page.next;
    }
    return journal;
  }

  /** The next session's engine may have begun already: its process says whose it is. */
  async #strayFolders(): Promise<readonly string[]> {
    const { sessions } = await this.#phoenix.insist(() => this.#phoenix.client.sessions());
    const known = new Set([
      ...sessions.map(({ id }) => id),
      ...markedProcesses(this.#place).map((entry) => entry.session),
    ]);
    // An engine without a program has none.
    const folders = await readdir(join(this.#place.home, "engines")).catch(() => []);
    return folders.filter((name) => !known.has(name));
  }
}
