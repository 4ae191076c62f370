import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, PROTOCOL_VERSION, toolFacts, type SessionSettings } from "../../protocol/index.ts";
import { OfferedToolServer, type RunOfferedTool } from "../claude/offered-tools.ts";
import type { OfferedTool } from "../claude/tools.ts";
import type { Host } from "../engine.ts";
import { list, parsedJson, record, text, type VendorFields } from "../vendor/fields.ts";
import { launchRequest, relayCommand, type ToolLine } from "../vendor/launch.ts";
import type { OutputAllowance, ProcessEnd } from "../vendor/output.ts";
import type { AgentProgram } from "./agents.ts";
import { AgentConnection, RpcError, type AgentListener } from "./connection.ts";
import { ReplayedConversation } from "./replay.ts";
import { ownToolName } from "./tool-names.ts";

/** The version of the protocol that is spoken. */
const ACP_VERSION = 1;
/** Of what it speaks instead. */
const VERSION_CHARS = 20;
/** The name of our tool server in the agent. */
const SERVER = "sallyport";
const HOME = "acp";

/** The agent's own folder: its home, its settings, its records. Nothing else of the session's folder is its to write. */
export function agentHome(folder: string): string {
  return join(folder, HOME);
}

export interface AgentMeans {
  readonly agent: AgentProgram;
  /** The program and its arguments, with placeholders. */
  readonly argv: readonly [string, ...string[]];
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly allowance: OutputAllowance;
  readonly runOfferedTool: RunOfferedTool;
}

/** What a process reports to its user. */
export type ProcessEars = Pick<AgentListener, "requested" | "notified" | "noise" | "drained"> & {
  ended(end: ProcessEnd): void;
};

/** Why an agent cannot be used, in words for people. */
export class AgentUnusable extends Error {}

/** A process of an agent with one session in it. */
export class AgentProcess {
  /** The model that it was started with. */
  readonly model: string;
  /** The tools of ours that it was given. */
  readonly offered: readonly OfferedTool[];
  readonly #means: AgentMeans;
  readonly #connection: AgentConnection;
  readonly #servers = new Map<number, OfferedToolServer>();
  #session = "";
  #idle: Promise<void> = Promise.resolve();
  #replaying: ReplayedConversation | undefined;
  #replayed: ReplayedConversation | undefined;
  #takesImages = false;

  private constructor(means: AgentMeans, connect: (listener: AgentListener) => AgentConnection, ears: ProcessEars) {
    this.#means = means;
    this.model = means.host.model.name;
    this.offered = offeredTools(means);
    this.#connection = connect({
      ...ears,
      requested: (method, params) => ears.requested(method, params),
      // What was said before is in the journal.
      notified: (method, params) => {
        if (this.#replaying === undefined) ears.notified(method, params);
        else this.#replaying.take(params);
      },
      noise: (line) => ears.noise(line),
      drained: () => ears.drained(),
      toolLine: (line) => this.#toolLine(line),
      ended: (end) => {
        for (const server of this.#servers.values()) server.close();
        ears.ended(end);
      },
    });
  }

  /** Starts the agent. It has no session yet. */
  static async start(means: AgentMeans, ears: ProcessEars): Promise<AgentProcess> {
    const { host, agent, allowance } = means;
    const home = agentHome(host.folder);
    // It is written into configurations of many formats.
    if (/["'\\{}\p{Cc}]/u.test(host.model.name))
      throw new AgentUnusable(`the model's name ${JSON.stringify(host.model.name)} cannot be given to ${agent.title}`);
    const cwd = workFolder(means);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (agent.workFolder !== undefined) mkdirSync(cwd, { recursive: true, mode: 0o700 });
    const fill = filler(means, home);
    const [program, ...words] = means.argv;
    const files = Object.entries(agent.files ?? {}).map(
      ([path, content]) => [join(home, path), fill(JSON.stringify(content))] as const,
    );
    const piped = await host.sandbox.open(
      launchRequest({
        argv: [fill(program), ...words.map(fill)],
        env: Object.fromEntries(
          Object.entries({ ...homeEnvironment(home), ...networkEnvironment(agent), ...agent.env }).map(
            ([name, value]) => [name, fill(value)],
          ),
        ),
        files: Object.fromEntries(files),
        cwd,
        baseUrl: host.model.baseUrl,
        tools: agent.tools === "sallyport" ? { file: relayFile(home), token: randomUUID() } : undefined,
      }),
    );
    return new AgentProcess(means, (listener) => new AgentConnection(piped, listener, allowance), ears);
  }

  get session(): string {
    return this.#session;
  }

  get takesImages(): boolean {
    return this.#takesImages;
  }

  get hasEnded(): boolean {
    return this.#connection.hasEnded;
  }

  /** What it replayed of an earlier session. Returned once, because with the next prompt it knows more. Absent: it resumed none. */
  takeReplayed(): ReplayedConversation | undefined {
    const replayed = this.#replayed;
    this.#replayed = undefined;
    return replayed;
  }

  /** Whether it can take the next turn: it was started with the session's present model and tools. */
  fits(): boolean {
    if (this.hasEnded || this.model !== this.#means.host.model.name) return false;
    return JSON.stringify(offeredTools(this.#means)) === JSON.stringify(this.offered);
  }

  /**
   * Begins a session, or resumes an earlier one. True: the agent knows what was said before. Rejects with `RpcError`, `AgentGone` or
   * `AgentUnusable`.
   */
  async open(earlier: string | undefined): Promise<boolean> {
    const { agent } = this.#means;
    const initialized = await this.#connection.request("initialize", {
      protocolVersion: ACP_VERSION,
      clientInfo: { name: "sallyport", title: "Sallyport", version: PROTOCOL_VERSION },
      clientCapabilities: clientCapabilities(agent),
    });
    if (initialized["protocolVersion"] !== ACP_VERSION)
      throw new AgentUnusable(
        `${agent.title} speaks version ${JSON.stringify(initialized["protocolVersion"] ?? null).slice(0, VERSION_CHARS)} of the Agent Client Protocol, not ${ACP_VERSION}; install another version of it`,
      );
    const abilities = record(initialized["agentCapabilities"]);
    this.#takesImages = record(abilities["promptCapabilities"])["image"] === true;
    const offers = list(initialized["authMethods"]).map((method) => text(record(method)["id"]));
    if (agent.authenticate !== undefined && offers.includes(agent.authenticate))
      await this.#connection.request("authenticate", { methodId: agent.authenticate });
    if (earlier !== undefined && abilities["loadSession"] === true && (await this.#load(earlier))) return true;
    const begun = await this.#connection.request("session/new", this.#place());
    const session = text(begun["sessionId"]);
    if (session === undefined) throw new AgentUnusable(`${agent.title} began a session without an id`);
    this.#session = session;
    await this.#setMode(record(begun["modes"]));
    return false;
  }

  /** Resolves when the turn has ended. Rejects with `RpcError` or `AgentGone`. */
  prompt(blocks: readonly VendorFields[]): Promise<VendorFields> {
    this.#connection.begin();
    const answer = this.#connection.request("session/prompt", { sessionId: this.#session, prompt: blocks });
    this.#idle = answer.then(
      () => undefined,
      () => undefined,
    );
    return answer;
  }

  /** Resolves when no prompt is open. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  cancel(): void {
    this.#connection.notify("session/cancel", { sessionId: this.#session });
  }

  kill(): Promise<void> {
    return this.#connection.kill();
  }

  /** False: the agent does not have it any more. */
  async #load(session: string): Promise<boolean> {
    const replaying = new ReplayedConversation();
    this.#replaying = replaying;
    try {
      const loaded = await this.#connection.request("session/load", { sessionId: session, ...this.#place() });
      this.#session = session;
      await this.#setMode(record(loaded["modes"]));
      this.#replayed = replaying;
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    } finally {
      this.#replaying = undefined;
    }
  }

  /** Chooses a mode in which it asks about everything, if it has one with a known name. */
  async #setMode(modes: VendorFields): Promise<void> {
    const { mode } = this.#means.agent;
    if (mode === undefined || modes["currentModeId"] === mode) return;
    if (!list(modes["availableModes"]).some((each) => record(each)["id"] === mode)) return;
    await this.#connection.request("session/set_mode", { sessionId: this.#session, modeId: mode });
  }

  #place(): VendorFields {
    const { agent, host } = this.#means;
    const [command, ...args] = relayCommand(relayFile(agentHome(host.folder)));
    const servers = agent.tools === "sallyport" ? [{ name: SERVER, command, args, env: [] }] : [];
    const meta = agent.sessionMeta === undefined ? {} : { _meta: this.#filled(agent.sessionMeta) };
    return { cwd: workFolder(this.#means), mcpServers: servers, ...meta };
  }

  #filled(fields: VendorFields): VendorFields {
    const fill = filler(this.#means, agentHome(this.#means.host.folder));
    return record(JSON.parse(fill(JSON.stringify(fields))));
  }

  #toolLine({ channel, line, closed }: ToolLine): void {
    if (typeof channel !== "number") return;
    if (closed === true) {
      this.#servers.get(channel)?.close();
      this.#servers.delete(channel);
    }
    if (typeof line !== "string") return;
    const known = this.#servers.get(channel);
    if (known === undefined && this.#servers.size >= LIMITS.agentToolChannels) return;
    const server = known ?? new OfferedToolServer(SERVER, this.offered, this.#means.runOfferedTool);
    this.#servers.set(channel, server);
    this.#answerTool(server, channel, line).catch((error: unknown) => this.#connection.fail(error));
  }

  async #answerTool(server: OfferedToolServer, channel: number, line: string): Promise<void> {
    const answer = await server.answer(parsedJson(line));
    if (answer === undefined || this.#servers.get(channel) !== server) return;
    this.#connection.toTool({ sallyport: "tools", channel, line: JSON.stringify(answer) });
  }
}

/** Where the agent works; our tools work in the workspace in any case. */
function workFolder({ agent, host, settings }: Pick<AgentMeans, "agent" | "host" | "settings">): string {
  return agent.workFolder === undefined ? settings.workspace : join(agentHome(host.folder), agent.workFolder);
}

function relayFile(home: string): string {
  return join(home, "relay");
}

/** An agent that has our tools needs neither files nor terminals of ours. */
function clientCapabilities({ tools, client }: AgentProgram): VendorFields {
  const isOwn = tools === "own";
  const { files = true, terminal = true } = client ?? {};
  return { fs: { readTextFile: isOwn && files, writeTextFile: isOwn && files }, terminal: isOwn && terminal };
}

/** Everything that the agent would write into a person's home goes into its own. */
function homeEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_STATE_HOME: join(home, "state"),
    NO_BROWSER: "1",
    DO_NOT_TRACK: "1",
  };
}

/** Some send even requests to the loopback to a proxy. An agent with our tools needs no other way out than the model proxy. */
function networkEnvironment({ tools }: AgentProgram): Readonly<Record<string, string>> {
  const none = { HTTP_PROXY: "", HTTPS_PROXY: "", http_proxy: "", https_proxy: "" };
  return tools === "sallyport" ? none : {};
}

/** Fills all placeholders except the proxy's address, which only the launcher knows. */
function filler({ host, settings }: AgentMeans, home: string): (text: string) => string {
  const values: Readonly<Record<string, string>> = {
    "{key}": host.model.key,
    "{model}": host.model.name,
    "{folder}": home,
    "{workspace}": settings.workspace,
  };
  return (words) => words.replaceAll(/\{(?:key|model|folder|workspace)\}/g, (name) => values[name] ?? name);
}

/** A sub-agent is the engine's own to run, and this one cannot. */
function offeredTools({ agent, host }: Pick<AgentMeans, "agent" | "host">): readonly OfferedTool[] {
  if (agent.tools === "own") return [];
  const own = ownToolName(agent.name);
  return host.toolbox.definitions().flatMap((definition): readonly OfferedTool[] => {
    const { name } = definition;
    if (name === own || toolFacts(name)?.item === "subagent") return [];
    return [{ name, server: SERVER, tool: name, definition, concurrent: host.toolbox.traits(name).concurrent }];
  });
}
