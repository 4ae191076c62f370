import { LIMITS, type McpServerState, type McpServerView } from "../protocol/index.ts";
import { errorResult, type ClientTool, type ToolResult, type Unregister } from "../tools/index.ts";
import { CallTimer } from "./call-timer.ts";
import type { ConnectionMeans, McpConnection, ServerCall } from "./connection.ts";
import type { ServerDefinition } from "./definition.ts";
import { isLoginNeeded, reasonOf } from "./failures.ts";
import { openConnection } from "./open.ts";
import { serverPrompts, type ServerPrompt } from "./server-prompts.ts";
import { changesOf, clientToolOf, serverTools, type CallWait, type ForeignTool } from "./server-tools.ts";

export interface ServerClientMeans extends ConnectionMeans {
  /** Gives the session tools, in place of earlier ones. A Failure: they cannot be had. */
  readonly register: (tools: readonly ClientTool[], instead: Unregister | undefined) => Unregister;
  /** Told to people, in the session's journal. */
  readonly tell: (message: string) => void;
  /** Calls back once after `ms`; the answer cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

const UNKNOWN = "Its outcome is unknown: check what it did before you repeat it.";

/** One MCP server of a session: started when it is needed, started again when it ends by itself, its tools registered meanwhile. */
export class ServerClient {
  readonly definition: ServerDefinition;
  readonly #means: ServerClientMeans;
  readonly #over = new AbortController();
  #state: McpServerState = "waiting";
  #connection: McpConnection | undefined;
  #starting: Promise<void> | undefined;
  #tools: readonly ForeignTool[] = [];
  #leftOut: readonly string[] = [];
  #prompts: readonly ServerPrompt[] = [];
  #unregister: Unregister | undefined;
  #restarts = 0;
  #error: string | undefined;
  #isListing = false;
  #needsLogin = false;
  /** Timers of calls that run. They stand while the server waits for an answer of ours. */
  readonly #timers = new Set<CallTimer>();
  /** Timers of calls that were answered. No more than calls may run at once. */
  readonly #spare: CallTimer[] = [];
  #waiting = 0;
  #cancelRestart = (): void => undefined;

  constructor(definition: ServerDefinition, means: ServerClientMeans) {
    this.definition = definition;
    this.#means = means;
  }

  get view(): McpServerView {
    const { name, from, transport } = this.definition;
    const title = this.#connection?.title;
    return {
      name,
      from,
      transport,
      state: this.#state,
      ...(title === undefined ? {} : { title: title.slice(0, LIMITS.previewSummaryChars) }),
      tools: this.#tools.map((tool) => ({ name: tool.name, tier: tool.tier })),
      ...(this.#leftOut.length === 0 ? {} : { left_out: [...this.#leftOut] }),
      ...(this.#restarts === 0 ? {} : { restarts: this.#restarts }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#needsLogin ? { needs_login: true as const } : {}),
    };
  }

  /** The prompts that people can call; none while it does not run. */
  get prompts(): readonly ServerPrompt[] {
    return this.#state === "ready" ? this.#prompts : [];
  }

  /** Asks the server for something that a person named. Never rejects. */
  fetch(call: Extract<ServerCall, { kind: "read_resource" | "get_prompt" }>, signal: AbortSignal): Promise<ToolResult> {
    const wait: CallWait = {
      onEnd: (listener) => signal.addEventListener("abort", () => listener("cancelled"), { once: true }),
    };
    return this.#ask({ call, title: call.kind === "get_prompt" ? call.name : call.uri }, wait);
  }

  /** A turn begins: it is started unless it runs. Resolves when it is ready, or has failed. */
  async begin(): Promise<void> {
    this.#restarts = 0;
    if (this.#state !== "ready") await this.#start("starting");
  }

  /** Ends it; its tools are gone. */
  async close(): Promise<void> {
    this.#over.abort();
    this.#cancelRestart();
    this.#unregister?.("its MCP server was closed");
    await this.#starting;
    await this.#connection?.close();
  }

  #start(state: "starting" | "restarting"): Promise<void> {
    this.#cancelRestart();
    this.#starting ??= this.#open(state).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Never rejects. */
  async #open(state: "starting" | "restarting"): Promise<void> {
    const { name, startMs } = this.definition;
    this.#state = state;
    const late = AbortSignal.timeout(startMs);
    const options = { signal: AbortSignal.any([late, this.#over.signal]), timeoutMs: startMs };
    let connection: McpConnection | undefined;
    try {
      const toolsChanged = (): void => void this.#listAgain();
      const waiting = (open: number): void => this.#wait(open);
      connection = await openConnection(await this.definition.way(), this.#means, {
        ...options,
        toolsChanged,
        promptsChanged: () => void this.#listPrompts(),
        waiting,
      });
      const tools = await connection.tools(options);
      const prompts = await promptsOf(connection, options);
      // Nobody would take its tools back.
      if (this.#over.signal.aborted) throw new Error("the session does not need it any more");
      this.#take({ tools, offers: connection.offers });
      this.#prompts = serverPrompts(name, prompts);
      this.#connection = connection;
      this.#state = "ready";
      this.#error = undefined;
      this.#needsLogin = false;
      const opened = connection;
      void connection.ended.then((why) => this.#ended(opened, why));
    } catch (error) {
      void connection?.close();
      if (this.#over.signal.aborted) return;
      this.#needsLogin = isLoginNeeded(error);
      const why = late.aborted ? `it was not ready within ${startMs / 1_000} s` : reasonOf(error);
      this.#fail(`The MCP server ${name} could not be started: ${words(why)}`, why);
    }
  }

  /** It ended by itself: it is started again, after a while, and not for ever. */
  #ended(connection: McpConnection, why: string): void {
    if (this.#connection !== connection || this.#over.signal.aborted) return;
    this.#connection = undefined;
    void connection.close();
    const { name } = this.definition;
    if (this.#restarts >= LIMITS.mcpRestarts) {
      this.#fail(
        `The MCP server ${name} ended ${this.#restarts + 1} times and is not started again: ${words(why)}`,
        why,
      );
      return;
    }
    this.#means.tell(`The MCP server ${name} ended, and is started again: ${words(why)}`);
    const wait = Math.min(LIMITS.mcpRestartMs * 2 ** this.#restarts, LIMITS.mcpRestartMaxMs);
    this.#restarts += 1;
    this.#state = "restarting";
    this.#error = words(why);
    this.#cancelRestart = this.#means.after(wait, () => void this.#start("restarting"));
  }

  #fail(message: string, why: string): void {
    this.#state = "failed";
    this.#error = words(why);
    this.#unregister?.(`its MCP server has failed: ${words(why)}`);
    this.#unregister = undefined;
    this.#tools = [];
    this.#means.tell(message);
  }

  /** Registers what the server lists now. */
  #take(list: Parameters<typeof serverTools>[1]): void {
    const { name, tiers } = this.definition;
    const before = this.#unregister === undefined ? undefined : this.#tools;
    const { tools, leftOut } = serverTools(name, list, tiers);
    const changes = before === undefined ? undefined : changesOf(before, tools);
    if (before === undefined || changes !== undefined)
      this.#unregister = this.#means.register(
        tools.map((tool) => clientToolOf(tool, (input, wait) => this.#call(tool, input, wait))),
        this.#unregister,
      );
    this.#tools = tools;
    this.#leftOut = leftOut;
    if (changes !== undefined) this.#means.tell(`The MCP server ${name} changed its tools (${changes}).`);
  }

  async #listAgain(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#isListing) return;
    this.#isListing = true;
    const { startMs, name } = this.definition;
    try {
      const tools = await connection.tools({ signal: this.#over.signal, timeoutMs: startMs });
      if (this.#connection === connection) this.#take({ tools, offers: connection.offers });
    } catch (error) {
      if (this.#connection === connection && !this.#over.signal.aborted)
        this.#means.tell(`The MCP server ${name} said that its tools changed, but: ${words(reasonOf(error))}`);
    } finally {
      this.#isListing = false;
    }
  }

  async #listPrompts(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { startMs, name } = this.definition;
    const prompts = await promptsOf(connection, { signal: this.#over.signal, timeoutMs: startMs });
    if (this.#connection === connection) this.#prompts = serverPrompts(name, prompts);
  }

  /** Whether a server that did not answer a call still answers at all. */
  async #check(connection: McpConnection): Promise<void> {
    try {
      await connection.call({ kind: "ping" }, { signal: this.#over.signal, timeoutMs: LIMITS.mcpPingMs });
    } catch (error) {
      if (connection.failureKind(error) !== "answered") this.#ended(connection, "it does not answer any more");
    }
  }

  async #call(tool: ForeignTool, input: Readonly<Record<string, unknown>>, wait: CallWait): Promise<ToolResult> {
    if (this.#state === "restarting") await this.#start("restarting");
    // It may have been started again meanwhile, and say something else of the tool.
    if (this.#connection !== undefined && !this.#tools.some(({ definition }) => definition === tool.definition))
      return errorResult(`Error: ${tool.name} has changed, so it was not run. Look at it again before you call it.`);
    return this.#ask({ call: tool.call(input), title: tool.name }, wait);
  }

  /** `title`: what is asked for, in words for people and models. */
  async #ask(
    { call, title }: { readonly call: ServerCall; readonly title: string },
    wait: CallWait,
  ): Promise<ToolResult> {
    const { name, callMs } = this.definition;
    const connection = this.#connection;
    if (connection === undefined)
      return errorResult(
        `Error: the MCP server ${name} does not run${this.#error === undefined ? "" : `: ${this.#error}`}`,
      );
    if (this.#timers.size >= LIMITS.mcpServerCalls)
      return errorResult(
        `Error: ${this.#timers.size} calls of the MCP server ${name} run already. Wait for one of them.`,
      );
    const timer = this.#spare.pop() ?? new CallTimer(callMs, this.#means.after);
    this.#timers.add(timer);
    if (this.#waiting === 0) timer.restart();
    let isStopped = false;
    let isOver = false;
    wait.onEnd((why) => {
      // Its timer may be another call's by then.
      if (why === "answered" || isOver) return;
      isStopped = true;
      timer.abort();
    });
    try {
      return await connection.call(call, {
        signal: timer.signal,
        timeoutMs: LIMITS.mcpCallMaxMs,
        progressed: () => this.#progressed(timer),
      });
    } catch (error) {
      if (timer.signal.aborted && !isStopped) {
        void this.#check(connection);
        return errorResult(`Error: ${title}: it did not answer within ${callMs / 1_000} s. ${UNKNOWN}`);
      }
      const kind = connection.failureKind(error);
      this.#needsLogin ||= isLoginNeeded(error);
      if (kind === "answered" || isStopped) return errorResult(`Error: ${title}: ${words(reasonOf(error))}`);
      if (kind === "lost") this.#ended(connection, reasonOf(error));
      else void this.#check(connection);
      return errorResult(`Error: ${title}: ${words(reasonOf(error))}. ${UNKNOWN}`);
    } finally {
      isOver = true;
      this.#timers.delete(timer);
      timer.stop();
      if (!timer.signal.aborted) this.#spare.push(timer);
    }
  }

  /** People take their time: what the server waits for is not its own. */
  #wait(open: number): void {
    this.#waiting = open;
    for (const timer of this.#timers)
      if (open > 0) timer.stop();
      else timer.restart();
  }

  #progressed(timer: CallTimer): void {
    if (this.#waiting === 0 && this.#timers.has(timer)) timer.restart();
  }
}

/** A server that cannot say which prompts it has, has none: its tools count more. */
async function promptsOf(
  connection: McpConnection,
  options: Parameters<McpConnection["prompts"]>[0],
): ReturnType<McpConnection["prompts"]> {
  return connection.prompts(options).catch(() => []);
}

/** What a server or a program says of its failure, bounded. */
function words(why: string): string {
  const line = why.trim().replace(/\.$/, "");
  return line.length <= LIMITS.mcpReasonChars ? line : `${line.slice(0, LIMITS.mcpReasonChars)}…`;
}
