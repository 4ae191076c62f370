import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  createClaudeCliEngine,
  createClaudeSdkEngine,
  type Ancestor,
  type Conversation,
  type Engine,
  type EngineEvent,
  type Host,
  type TurnChannel,
  type Verdict,
} from "../../../src/engines/index.ts";
import {
  Failure,
  isToolItem,
  makeNewId,
  type EventBody,
  type Item,
  type JournalEvent,
  type Prompt,
  type SessionSettings,
  type ToolItem,
} from "../../../src/protocol/index.ts";
import { refusalOf } from "../../../src/proxy/refusals.ts";
import { openLocalSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { createSimModel, type SimExchange } from "../../../src/sim/index.ts";
import {
  createToolbox,
  openToolSession,
  type AnyTool,
  type Toolbox,
  type ToolSession,
} from "../../../src/tools/index.ts";
import { arraysOf, askedCall, journalOf, numbered, openItems, SETTINGS, type AskedCall } from "../world.ts";

const require = createRequire(import.meta.url);
export const EXECUTABLE = join(
  dirname(
    createRequire(require.resolve("@anthropic-ai/claude-agent-sdk")).resolve(
      `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`,
    ),
  ),
  "claude",
);

/** Both engines, for suites that run over each. */
export const ENGINES = [
  { name: "claude-sdk", create: () => createClaudeSdkEngine({ executable: EXECUTABLE, retries: 1 }) },
  { name: "claude-cli", create: () => createClaudeCliEngine({ executable: EXECUTABLE, retries: 1 }) },
] as const;

/** What must never reach a vendor's process, wherever it stands. */
export const CANARIES = { ANTHROPIC_API_KEY: "sk-ant-canary-of-the-server", OPENAI_API_KEY: "sk-canary-of-the-server" };

const NO_MONEY = new Failure("budget_exceeded", "No money is left.");

/** What the proxy's key looks like in these tests. */
export const KEY = "sp_session_key_of_this_test";

export interface Told {
  /** Without deltas. */
  readonly events: readonly EngineEvent[];
  /** Live text by item. */
  readonly deltas: Readonly<Record<string, string>>;
}

/** A scripted model on a unix socket, a workspace, and a place for sessions' folders. */
export class World {
  readonly root: string;
  readonly workspace: string;
  readonly exchanges: SimExchange[] = [];
  readonly #rooms: Room[] = [];
  /** Requests that the proxy in this test's place refuses for lack of money before it lets the next one through. */
  broke = 0;
  /** What the proxy in this test's place refuses every request with; absent: nothing. */
  refused: Failure | undefined;
  readonly #server: Server;
  #sessions = 0;

  private constructor(root: string) {
    this.root = root;
    this.workspace = join(root, "workspace");
    mkdirSync(this.workspace);
    const model = createSimModel({ demoDelayMs: 0, onExchange: (exchange) => this.exchanges.push(exchange) });
    this.#server = createServer((request, response) => {
      const failure = this.refused ?? (this.broke === 0 ? undefined : NO_MONEY);
      if (failure === undefined) {
        void model.handle(request, response);
        return;
      }
      if (failure === NO_MONEY) this.broke -= 1;
      const refusal = refusalOf(failure, { wire: "anthropic", id: "req_1" });
      request.resume();
      response.writeHead(refusal.status, refusal.headers).end(refusal.body);
    });
  }

  static async start(): Promise<World> {
    // Short: a unix socket's path may have about a hundred characters.
    const world = new World(realpathSync(mkdtempSync(join(tmpdir(), "sp-claude-"))));
    await new Promise<void>((resolve) => {
      world.#server.listen(join(world.root, "model.sock"), resolve);
    });
    return world;
  }

  get modelUrl(): string {
    return `unix:${join(this.root, "model.sock")}`;
  }

  /** What was asked of the model since the last call of this. */
  take(): readonly SimExchange[] {
    return this.exchanges.splice(0);
  }

  /** Texts of the last request, one entry for each message that is not the system's. */
  lastMessages(): readonly string[] {
    const body = this.exchanges.at(-1)?.body as { readonly messages: readonly SentMessage[] } | undefined;
    return (body?.messages ?? []).filter(({ role }) => role !== "system").map(shortly);
  }

  room(engine: Engine, options: RoomOptions = {}): Room {
    this.#sessions += 1;
    const room = new Room(this, engine, { id: `ses_${this.#sessions}`, ...options });
    this.#rooms.push(room);
    return room;
  }

  write(path: string, content: string | Buffer): string {
    const full = join(this.workspace, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  }

  read(path: string): Promise<string> {
    return readFile(join(this.workspace, path), "utf8");
  }

  async close(): Promise<void> {
    for (const room of this.#rooms) await room.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.root, { recursive: true, force: true });
  }
}

interface SentMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[];
}

/** Reminders of the vendor's own are left out. */
function shortly({ role, content }: SentMessage): string {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = blocks.flatMap((block) => {
    if (block.type === "text") return (block.text ?? "").includes("Attribution for git") ? [] : [block.text ?? ""];
    if (block.type === "tool_result") return [`result: ${resultText(block.content)}`];
    return [block.type];
  });
  return `${role}: ${texts.join(" | ").trim()}`;
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string; readonly type: string }[])
    .map((block) => block.text ?? block.type)
    .join(" ");
}

export interface RoomOptions {
  readonly id?: string;
  readonly settings?: Partial<SessionSettings>;
  readonly extra?: readonly AnyTool[];
  readonly modelUrl?: string;
}

interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: EngineEvent) => void) | undefined;
}

/** One session's surroundings: they outlive conversations, as the real ones do. */
export class Room {
  readonly world: World;
  readonly engine: Engine;
  readonly folder: string;
  readonly settings: SessionSettings;
  readonly journal: EventBody[] = [];
  readonly asked: AskedCall[] = [];
  readonly sandbox: Sandbox;
  decide: (call: AskedCall, signal: AbortSignal) => Verdict | Promise<Verdict> = (call) => ({
    effect: "allow",
    input: call.input,
  });
  funds: Host["funds"] = () => Promise.resolve({ granted: true });
  now: () => number = Date.now;
  sleep: Host["sleep"] = (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined);
  readonly #id: string;
  readonly #modelUrl: string;
  readonly #session: ToolSession;
  #extra: readonly AnyTool[];
  #toolbox: Toolbox;
  #conversation: Conversation | undefined;
  #turns = 0;
  #turnId = "";

  constructor(world: World, engine: Engine, options: RoomOptions) {
    this.world = world;
    this.engine = engine;
    this.#id = options.id ?? "ses_1";
    this.folder = join(world.root, this.#id);
    this.settings = { ...SETTINGS, engine: engine.id, workspace: world.workspace, ...options.settings };
    this.#modelUrl = options.modelUrl ?? world.modelUrl;
    const home = join(world.root, "home");
    mkdirSync(home, { recursive: true });
    this.sandbox = openLocalSandbox({
      sessionId: this.#id,
      home,
      marker: world.root,
      environment: { ...CANARIES, PATH: process.env["PATH"] },
    });
    const outputFolder = join(world.root, "output", this.#id);
    mkdirSync(outputFolder, { recursive: true });
    const session = openToolSession({
      workspace: world.workspace,
      sandbox: this.sandbox,
      outputFolder,
      extraRead: [outputFolder],
      hidden: [],
      webHosts: [],
      newId,
      now: Date.now,
    });
    this.#session = session;
    this.#extra = options.extra ?? [];
    this.#toolbox = createToolbox(session, { extra: this.#extra });
  }

  /** Another tool in a tool's place, as when a page takes one back and offers one. */
  exchangeTool(name: string, tool: AnyTool): void {
    this.#extra = this.#extra.map((known) => (known.name === name ? tool : known));
    this.#toolbox = createToolbox(this.#session, { extra: this.#extra });
  }

  get turnId(): string {
    return this.#turnId;
  }

  get host(): Host {
    return {
      model: { baseUrl: this.#modelUrl, key: KEY, name: "sim", facts: () => ({ api: "messages" }) },
      toolbox: {
        definitions: () => this.#toolbox.definitions(),
        facts: (tool, input) => this.#toolbox.facts(tool, input),
        traits: (tool) => this.#toolbox.traits(tool),
        preview: (tool, input) => this.#toolbox.preview(tool, input),
        run: (tool, input, run) => this.#toolbox.run(tool, input, run),
        close: () => this.#toolbox.close(),
      },
      folder: this.folder,
      sandbox: this.sandbox,
      turnId: () => this.#turnId,
      newId,
      now: () => this.now(),
      elapsed: () => this.now(),
      random: () => 0.5,
      sleep: (ms, signal) => this.sleep(ms, signal),
      permit: async (call, signal) => {
        const asked = askedCall(call, openItems(this.journal));
        this.asked.push(asked);
        return this.decide(asked, signal);
      },
      refusal: () => this.world.refused?.code,
      funds: (signal) => this.funds(signal),
    };
  }

  /** The conversation of the moment, opened where there is none. */
  async conversation(ancestry: readonly Ancestor[] = []): Promise<Conversation> {
    const journal = [...this.journal];
    this.#conversation ??= await this.engine.open(
      {
        session_id: this.#id,
        settings: this.settings,
        async *history(): AsyncGenerator<JournalEvent> {
          yield* numbered(journal);
        },
        ancestry,
      },
      this.host,
    );
    return this.#conversation;
  }

  /** A turn begins in the journal. */
  begin(prompt: Prompt): void {
    this.#turns += 1;
    this.#turnId = `turn_${this.#id}_${this.#turns}`;
    this.journal.push({
      type: "turn.started",
      turn_id: this.#turnId,
      prompt,
      by: { id: "tok_1", name: "test", role: "admin" },
    });
  }

  /** One turn to its end, journaled. */
  async turn(prompt: Prompt, options: FollowOptions & { readonly ancestry?: readonly Ancestor[] } = {}): Promise<Told> {
    const conversation = await this.conversation(options.ancestry);
    this.begin(prompt);
    return this.follow((channel) => conversation.turn(prompt, channel), options);
  }

  /** Goes on with the turn that the journal leaves open. */
  async resume(open: readonly ToolItem[]): Promise<Told> {
    const conversation = await this.conversation();
    return this.follow(async (channel) => {
      if (conversation.resumeTurn === undefined) throw new Error("it takes no turn up again");
      await conversation.resumeTurn(open, channel);
    });
  }

  async follow(begin: (channel: TurnChannel) => Promise<void>, options: FollowOptions = {}): Promise<Told> {
    const { signal = new AbortController().signal, onEvent = () => undefined } = options;
    const events: EngineEvent[] = [];
    const deltas: Record<string, string> = {};
    const journal = (array: readonly EngineEvent[]): void => void this.journal.push(...journalOf([array]));
    for await (const array of arraysOf(begin, signal, journal)) {
      const kept = array.filter((event) => event.type !== "item.delta");
      events.push(...kept);
      for (const event of array) {
        if (event.type === "item.delta") deltas[event.item_id] = (deltas[event.item_id] ?? "") + event.delta;
        onEvent(event);
      }
    }
    return { events, deltas };
  }

  /** As after a restart of the server: nothing is left but the disk. */
  async forget(): Promise<void> {
    await this.#conversation?.close();
    this.#conversation = undefined;
  }

  /**
   * As after a crash of the server in the middle of a turn: what is on the disk at that moment is what is left. It happens when
   * so many calls are open and the vendor has them on the disk too, which it writes a moment later than it tells.
   */
  async crash(prompt: Prompt, calls: number): Promise<void> {
    const snapshot = `${this.folder}.crash`;
    const turn = this.turn(prompt);
    const open = (): readonly ToolItem[] => openItems(this.journal).filter(isToolItem);
    while (open().length < calls || !open().every(({ tool_use_id }) => this.#isWritten(tool_use_id))) await pause(10);
    const kept = this.journal.length;
    // Sockets cannot be copied, and what else comes and goes there does not matter.
    const matters = (path: string): boolean => !/\/(?:tmp|backups|\.claude\.json[^/]*)$/.test(path);
    cpSync(this.folder, snapshot, { recursive: true, filter: matters });
    for (const pid of await this.pids()) process.kill(pid, "SIGKILL");
    await turn;
    await this.forget();
    this.journal.length = kept;
    rmSync(this.folder, { recursive: true });
    renameSync(snapshot, this.folder);
  }

  #isWritten(tool_use_id: string): boolean {
    const projects = join(this.folder, "claude", "projects");
    if (!existsSync(projects)) return false;
    const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
    return files.some((name) => readFileSync(join(projects, name), "utf8").includes(tool_use_id));
  }

  /** Living processes of this session. */
  async pids(): Promise<readonly number[]> {
    const { readdir } = await import("node:fs/promises");
    const found: number[] = [];
    for (const name of await readdir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const environ = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
      const marks = environ.split("\0");
      if (marks.includes(`SALLYPORT_SESSION=${this.#id}`) && marks.includes(`SALLYPORT_INSTANCE=${this.world.root}`)) {
        const stat = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
        if (stat !== "" && !/\) Z /.test(stat)) found.push(Number(name));
      }
    }
    return found;
  }

  async close(): Promise<void> {
    await this.forget();
    await this.#toolbox.close();
    await this.sandbox.close();
  }
}

const newId = makeNewId(Date.now, (bytes) => crypto.getRandomValues(bytes));

export function script(steps: readonly unknown[], words = "Do it."): Prompt {
  return { text: `${words}\nsim: ${JSON.stringify(steps)}` };
}

/** The events in a few words each, without usage, which may come before or after the first tool of its message. */
export function outline(events: readonly EngineEvent[]): readonly string[] {
  return events
    .filter((event) => event.type !== "usage")
    .map((event) => {
      switch (event.type) {
        case "item.started":
          return `+ ${itemWords(event.item)}`;
        case "item.updated":
          return `~ ${itemWords(event.item)}`;
        case "item.completed":
          return `${event.item.status} ${itemWords(event.item)}${textOf(event.item)}`;
        case "item.delta":
          return `delta`;
        case "notice":
          return `notice ${event.message}`;
        case "turn.completed":
          return `completed ${event.stop_reason}`;
        case "turn.failed":
          return `failed ${event.error.code}`;
      }
    });
}

function itemWords(item: Item): string {
  return "tool" in item ? `${item.type} ${item.tool}` : item.type;
}

function textOf(item: Item): string {
  if ("tool" in item) {
    const words = (item.output ?? []).map((block) => (block.type === "text" ? block.text : `[${block.media_type}]`));
    return `: ${words.join(" ")}`;
  }
  return "text" in item ? `: ${item.text}` : "";
}

export function items(events: readonly EngineEvent[]): readonly Item[] {
  return events.flatMap((event) => (event.type === "item.completed" ? [event.item] : []));
}
