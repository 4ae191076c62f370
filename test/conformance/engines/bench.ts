import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SallyportClient } from "../../../src/client/index.ts";
import {
  TUNNEL_ENGINE,
  type CreateSession,
  type JournalEvent,
  type ModelApi,
  type Price,
} from "../../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { PROGRAMS_FOLDER } from "../../support/vendor-programs.ts";
import { pairWithHome } from "./home.ts";
import { journalFaults } from "./journal.ts";
import { Model } from "./model.ts";
import { processesOf, until, type OwnedProcess } from "./processes.ts";
import { BenchSession, type Turn } from "./session.ts";

/** Each kind of token has its own price, and each is a whole number of micro-USD. */
export const PRICE = {
  input: 3_000_000,
  output: 7_000_000,
  cache_read: 1_000_000,
  cache_write: 5_000_000,
} as const satisfies Price;

/** `sallyport.yaml`; JSON is YAML. */
export function settingsFor({ model, api }: Pick<Bench, "model" | "api">): string {
  const wire = api === "messages" ? { wire: "anthropic" } : { wire: "openai", openai_api: api };
  const bench = { base_url: model.url, ...wire, auth: "none", default_model: "sim", free: false };
  return JSON.stringify({
    provider: "bench",
    providers: { bench },
    prices: { "bench/sim": PRICE, "bench/other": PRICE },
  });
}

/** Where vendors' programs of the tests are. */
export const PROGRAMS = { SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER } as const;

/** What changes something is asked, as it ships; of what only reads, searches are asked too. */
const POLICY = JSON.stringify({ default_profile: "bench", profiles: { bench: { ask: ["Grep"] } } });
/** Of a machine whose sessions a gateway may have, and answer. */
const HOME_POLICY = JSON.stringify({
  default_profile: "bench",
  profiles: { bench: { ask: ["Grep"], approvers: ["creator"], for_agents: true } },
});

/** The whole product in this process with one engine under test, and a model that can be listened to. */
export class Bench {
  readonly engine: string;
  /** How models are asked. */
  readonly api: ModelApi;
  /** The sandbox of all its sessions. */
  readonly sandbox: string;
  readonly model: Model;
  readonly app: TestApp;
  /** Where its sessions run, when that is another machine than the one that is asked for them. Absent: it is the same. */
  readonly home: TestApp | undefined;
  /** What its sessions need beside the engine. */
  readonly #wanted: Pick<CreateSession, "provider" | "model">;
  /** Turns that failed by the status that the model answered with, once they have all ended. */
  failures: Promise<ReadonlyMap<number, Turn>> = Promise.resolve(new Map());
  readonly #sessions: BenchSession[] = [];
  #main: Promise<BenchSession> | undefined;
  #closed = false;

  private constructor({
    engine,
    api,
    sandbox,
    model,
    app,
    home,
    wanted,
  }: Pick<Bench, "engine" | "api" | "sandbox" | "model" | "app" | "home"> & {
    readonly wanted: Pick<CreateSession, "provider" | "model">;
  }) {
    this.engine = engine;
    this.api = api;
    this.sandbox = sandbox;
    this.model = model;
    this.app = app;
    this.home = home;
    this.#wanted = wanted;
  }

  static async open(engine: string, { api, sandbox }: Pick<Bench, "api" | "sandbox">): Promise<Bench> {
    const model = await Model.open(engine.startsWith("acp:") ? "as offered" : "as scripted");
    const app = await openTestApp({ SALLYPORT_START_AHEAD: "on", SALLYPORT_SANDBOX: sandbox, ...PROGRAMS });
    await writeFile(join(app.place.home, "sallyport.yaml"), settingsFor({ model, api }));
    const parts = { engine, api, sandbox, model };
    const isAtHome = engine === TUNNEL_ENGINE;
    await writeFile(join(app.place.home, "policy.yaml"), isAtHome ? HOME_POLICY : POLICY);
    await app.restart();
    if (!isAtHome) return new Bench({ ...parts, app, home: undefined, wanted: {} });
    const gateway = await openTestApp({ SALLYPORT_PROVIDER: "sim", SALLYPORT_SANDBOX: sandbox });
    return new Bench({ ...parts, app: gateway, home: app, wanted: await pairWithHome(app, gateway, "bench") });
  }

  /** Where the tools of its sessions work. */
  get workspace(): string {
    return (this.home ?? this.app).place.workspace;
  }

  /** How many of so many model calls the ledger tells of: another machine tells their sum. */
  told(calls: number): number {
    return this.home === undefined ? calls : 1;
  }

  get client(): SallyportClient {
    return this.app.client;
  }

  /** The session that most scenarios share, one after the other: each finds it as the last one left it. */
  main(): Promise<BenchSession> {
    this.#main ??= this.session();
    return this.#main;
  }

  async session(options: Omit<CreateSession, "engine" | "prompt"> = {}): Promise<BenchSession> {
    const { id } = await this.client.createSession({ engine: this.engine, ...this.#wanted, ...options });
    return this.adopt(id);
  }

  /** One that goes its own way beside the scenarios, until it is ended. */
  async aside(): Promise<BenchSession> {
    const { id } = await this.client.createSession({ engine: this.engine, ...this.#wanted });
    return new BenchSession(id, this);
  }

  /** Watches a session that is there. */
  adopt(id: string): BenchSession {
    const session = new BenchSession(id, this);
    this.#sessions.push(session);
    return session;
  }

  /** Ends a session that is not needed any more, and its processes with it. */
  async end(session: BenchSession): Promise<void> {
    await this.sound(session);
    const place = this.#sessions.indexOf(session);
    if (place >= 0) this.#sessions.splice(place, 1);
    await session.leave();
    await this.client.control(session.id, "close");
  }

  /** Stops the server, whatever it is doing, and opens it again. */
  async restart(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.leave()));
    await this.app.restart();
    for (const session of this.#sessions) session.join(this.client);
  }

  /** The vendor's own program of a session; undefined: there is none now. */
  async vendor(session: BenchSession): Promise<OwnedProcess | undefined> {
    const processes = await processesOf(this.app.place);
    return processes.find((owned) => owned.isVendor && owned.session === session.id);
  }

  /** Throws where the journal of a session, or what a watcher saw of it, is not as it must be. */
  async sound(session: BenchSession): Promise<void> {
    // What an interrupted request cost is known a moment after its turn.
    await until(async () => {
      const { reserved_microusd } = await this.client.sessionUsage(session.id);
      return reserved_microusd === 0 ? true : undefined;
    });
    const { reserved_microusd } = await this.client.sessionUsage(session.id);
    const journal = await session.journal();
    const faults = journalFaults(journal);
    if (reserved_microusd > 0) faults.push(`${reserved_microusd} micro-USD are still set aside`);
    const last = journal.at(-1)?.seq ?? 0;
    await session.seen((frame): frame is JournalEvent => "seq" in frame && frame.seq === last);
    if (JSON.stringify(session.events.filter(({ seq }) => seq <= last)) !== JSON.stringify(journal))
      faults.push("the watcher did not see exactly the journal");
    if (faults.length > 0) throw new Error(faults.join("\n"));
  }

  /** Of all sessions that have not ended. */
  async allSound(): Promise<void> {
    for (const session of this.#sessions) await this.sound(session);
  }

  /** Whatever a scenario has left open: the next one finds sessions that rest. */
  async rest(): Promise<void> {
    for (const session of this.#sessions) await session.rest();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const session of this.#sessions.splice(0)) await session.leave().catch(() => undefined);
    await this.app.serving.close();
    await this.home?.serving.close();
  }

  async left(): Promise<readonly OwnedProcess[]> {
    const places = this.home === undefined ? [this.app.place] : [this.app.place, this.home.place];
    return (await Promise.all(places.map(processesOf))).flat();
  }

  async remove(): Promise<void> {
    await this.close();
    await this.model.close();
    await this.app.place.remove();
    await this.home?.place.remove();
  }
}
