import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { endToolItem, isToolItem, type Prompt, type ToolItem } from "../../protocol/index.ts";
import type { Conversation, EngineEvent, Host, Opening } from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import { Beginnings, type Beginning } from "./beginnings.ts";
import { lentServers, type LentServer } from "./lent.ts";
import type { Link, Listener, OpenLink } from "./link.ts";
import { aside, callAgain, promptContent, restarted, retold, type Fate } from "./say.ts";
import { StateFile } from "./state.ts";
import { offerOf, type Offer } from "./tools.ts";
import { configFolder, temporaryFolder } from "./transcripts.ts";
import { TurnRun, type Promised } from "./turn.ts";
import type { Fields } from "./wire.ts";

const RETOLD =
  "Claude Code's own record of this conversation is gone; the model was told what was said before as text. Files it had read it may read again.";
const UNKNOWN_OUTCOME = "Interrupted; outcome unknown.";

export interface ConversationMeans {
  readonly executable: string;
  /** How often a failed request of the model is tried again. */
  readonly retries: number;
  readonly open: OpenLink;
  /** One process for the whole conversation; else one for each turn. */
  readonly keep: boolean;
}

/** A conversation with Claude Code: whichever way its process is talked to, this is the same. */
export class ClaudeConversation implements Conversation {
  readonly #opening: Opening;
  readonly #host: Host;
  readonly #means: ConversationMeans;
  readonly #state: StateFile;
  readonly #beginnings: Beginnings;
  readonly #offer: Offer;
  readonly #servers: readonly LentServer[];
  #link: Link | undefined;
  #listener: Listener | undefined;
  #run: TurnRun | undefined;
  /** The end of the processes before. */
  #gone: Promise<unknown> = Promise.resolve();
  #closed = false;
  #warming: Promise<Link | undefined> | undefined;

  constructor(opening: Opening, host: Host, means: ConversationMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
    this.#state = new StateFile(host.folder);
    this.#beginnings = new Beginnings(opening, host, this.#state, randomUUID);
    this.#offer = offerOf(host.toolbox);
    this.#servers = lentServers(this.#offer.lent, async (call) => {
      const run = this.#run;
      if (run === undefined) return { content: [{ type: "text", text: "No turn is open." }], is_error: true };
      return run.runLent(call);
    });
  }

  turn(prompt: Prompt, signal: AbortSignal): AsyncIterable<readonly EngineEvent[]> {
    return this.#drive(signal, async (run) => {
      const uuid = randomUUID();
      const begun = await this.#connect(run);
      if (begun === undefined) return;
      this.#state.beginTurn(this.#host.turnId(), uuid);
      const note = begun.note === "" ? [] : [aside(begun.note)];
      run.send([...this.#retell(run, begun.retell), ...note, ...promptContent(prompt)], uuid);
    });
  }

  resumeTurn(open: readonly ToolItem[], signal: AbortSignal): AsyncIterable<readonly EngineEvent[]> {
    return this.#drive(signal, async (run) => {
      const past = await this.#beginnings.past();
      run.tell(past.open.flatMap((item) => abandoned(item, open)));
      const fates = await this.#fates(run, open);
      if (run.over || run.stopped !== undefined) return;
      const begun = await this.#connect(run);
      if (begun === undefined) return;
      const content: Fields[] = [...this.#retell(run, begun.retell)];
      let uuid: string | undefined;
      if (!begun.hasPrompt && past.prompt !== undefined) {
        uuid = randomUUID();
        this.#state.beginTurn(this.#host.turnId(), uuid);
        content.push(...promptContent(past.prompt));
      }
      content.unshift(aside(restarted(fates, begun.hasPrompt ? "" : past.sofar)));
      run.send(content, uuid);
    });
  }

  /** Starts the process that the first turn will find. */
  async warm(): Promise<void> {
    if (this.#link !== undefined || this.#run !== undefined) return;
    this.#warming = this.#launch(await this.#beginnings.find()).finally(() => {
      this.#warming = undefined;
    });
    await (await this.#warming)?.ready?.();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#drop();
    await this.#gone;
    for (const server of this.#servers) server.close();
    await rm(temporaryFolder(this.#host.folder), { recursive: true, force: true });
  }

  async *#drive(signal: AbortSignal, begin: (run: TurnRun) => Promise<void>): AsyncGenerator<readonly EngineEvent[]> {
    const run = this.#newRun();
    this.#run = run;
    const stop = (): void => run.stop(ABORTED);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const work = begin(run).catch((error: unknown) => run.channel.end(error));
    const watch = run.watch();
    try {
      yield* run.channel.read();
    } finally {
      signal.removeEventListener("abort", stop);
      // Also when the reader leaves early: nothing of a turn goes on behind its back.
      if (!run.over) {
        this.#drop();
        run.fail(ABORTED);
      }
      await work;
      await watch;
      if (!this.#means.keep) this.#finish();
      this.#run = undefined;
    }
  }

  #newRun(): TurnRun {
    const turn_id = this.#host.turnId();
    return new TurnRun({
      host: this.#host,
      settings: this.#opening.settings,
      toolName: this.#offer.nameOf,
      newUuid: randomUUID,
      onEnd: ({ lastUuid, note }) => {
        const { session, turns } = this.#state.kept;
        if (session === undefined) return;
        const uuid = lastUuid ?? turns.findLast(({ at }) => at.session === session)?.at.uuid;
        this.#state.endTurn({ turn_id, at: { session, uuid }, note });
      },
      onBroken: () => this.#drop(),
    });
  }

  /** A process that the turn's messages go to. Nothing when the turn has ended meanwhile. */
  async #connect(run: TurnRun): Promise<Omit<Beginning, "start"> | undefined> {
    await this.#gone;
    await this.#warming;
    if (this.#link !== undefined) {
      run.attach(this.#link);
      const note = this.#state.kept.turns.at(-1)?.note ?? "";
      return run.over ? undefined : { retell: "", hasPrompt: true, note };
    }
    const beginning = await this.#beginnings.find();
    if (run.over || this.#closed) return undefined;
    const link = await this.#launch(beginning);
    if (link === undefined || run.over) return undefined;
    run.attach(link);
    return beginning;
  }

  /** A new process. Nothing when it was not wanted any more by the time it was there. */
  async #launch({ start }: Beginning): Promise<Link | undefined> {
    if (this.#closed) return undefined;
    const host = this.#host;
    mkdirSync(configFolder(host.folder), { recursive: true, mode: 0o700 });
    mkdirSync(temporaryFolder(host.folder), { recursive: true, mode: 0o700 });
    this.#state.save({ session: start.session, fork: start.type === "fork" ? start.from : undefined });
    const listener = this.#newListener();
    this.#listener = listener;
    const { executable, retries } = this.#means;
    const { settings } = this.#opening;
    const launch = { executable, retries, host, settings, offer: this.#offer, servers: this.#servers, start };
    const link = await this.#means.open(launch, listener);
    if (this.#listener !== listener) {
      this.#gone = Promise.all([this.#gone, link.kill()]);
      return undefined;
    }
    this.#link = link;
    return link;
  }

  /** Only the process of the moment is listened to. */
  #newListener(): Listener {
    const listener: Listener = {
      heard: (said) => {
        if (this.#listener === listener) this.#run?.heard(said);
      },
      noise: (line) => {
        if (this.#listener === listener) this.#run?.noise(line);
      },
      permit: (call) => {
        const run = this.#listener === listener ? this.#run : undefined;
        return run?.permit({ ...call, tool: this.#offer.nameOf(call.tool) }) ?? Promise.resolve(NO_TURN);
      },
      ended: (end) => {
        if (this.#listener !== listener) return;
        // What it started may have outlived it.
        this.#drop();
        this.#run?.ended(end);
      },
    };
    return listener;
  }

  /** What the model must be told because the vendor's record of it is gone. */
  #retell(run: TurnRun, text: string): readonly Fields[] {
    if (text === "") return [];
    run.tell([{ type: "notice", message: RETOLD }]);
    return [aside(retold(text))];
  }

  /** Asks again about the calls that a dead server left open. */
  async #fates(run: TurnRun, open: readonly ToolItem[]): Promise<readonly Fate[]> {
    const promised: Promised[] = [];
    const fates = await Promise.all(
      open.map(async (item): Promise<Fate> => {
        const { tool } = item;
        const verdict = await run.ask(item);
        if (verdict.effect === "deny") {
          const output = [{ type: "text" as const, text: verdict.message }];
          const ended = endToolItem(item, { status: verdict.status, output, is_error: true });
          run.tell([{ type: "item.completed", item: ended }]);
          return { item, message: verdict.message };
        }
        if (tool === "AskUserQuestion") return this.#answered(run, item, verdict.input);
        promised.push({ item, input: verdict.input });
        return { item, message: callAgain(tool, verdict.input) };
      }),
    );
    run.promise(promised);
    return fates;
  }

  /** The answers to questions need no program: they are told at once. */
  async #answered(run: TurnRun, item: ToolItem, input: Fields): Promise<Fate> {
    const result = await this.#host.toolbox.run(item.tool, input, { signal: run.signal, onOutput: () => undefined });
    const status = result.is_error ? "failed" : "completed";
    const ended = endToolItem(
      { ...item, approved_input: { ...input } },
      { status, output: result.content, is_error: result.is_error },
    );
    run.tell([{ type: "item.completed", item: ended }]);
    const words = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    return { item, message: words.join("\n") };
  }

  /** The process goes, whatever it is doing. */
  #drop(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#listener = undefined;
    if (link !== undefined) this.#gone = Promise.all([this.#gone, link.kill()]);
  }

  /** The process may end by itself. */
  #finish(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#listener = undefined;
    if (link !== undefined) this.#gone = Promise.all([this.#gone, link.finish()]);
  }
}

const NO_TURN = { behavior: "deny", message: "The turn is over." } as const;

/** What a dead server left open beside the calls that are asked about again. */
function abandoned(item: Parameters<typeof isToolItem>[0], asked: readonly ToolItem[]): readonly EngineEvent[] {
  if (asked.some(({ id }) => id === item.id)) return [];
  if (!isToolItem(item)) return [{ type: "item.completed", item: { ...item, status: "superseded" } }];
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return [{ type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) }];
}
