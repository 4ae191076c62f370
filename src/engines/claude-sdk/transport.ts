import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../../protocol/index.ts";
import { environmentOf } from "../claude/environment.ts";
import type { Held } from "../../sandbox/sandbox.ts";
import type { OfferedToolServer } from "../claude/offered-tools.ts";
import {
  beforeCall,
  HOOK_TIMEOUT,
  holdRequest,
  type HeldTransport,
  type Launch,
  type VendorTransport,
  type ProcessListener,
  type ConversationStart,
  type UserMessage,
} from "../claude/transport.ts";
import { wireMessage } from "../claude/messages.ts";
import { FORBIDDEN_TOOLS, vendorAgents } from "../claude/tools.ts";
import { readMessage } from "../claude/wire.ts";
import type { Verdict } from "../engine.ts";
import { record } from "../vendor/fields.ts";
import { SandboxedProcess } from "./process.ts";
import type { McpTransport, SdkQuery, QueryOptions, Sdk, SpawnOptions } from "./sdk.ts";

/** Starts a process that the SDK talks to for as long as the conversation lives. */
export function openSdkTransport(sdk: Sdk, launch: Launch, listener: ProcessListener): VendorTransport {
  const input = new ProcessInput();
  let process: SandboxedProcess | undefined;
  /** The last message that begins a turn. */
  let begun: { readonly uuid: string; readonly turn_id: string | undefined } | undefined;
  const spawn = (options: SpawnOptions): SandboxedProcess => {
    process = new SandboxedProcess({
      sandbox: launch.host.sandbox,
      request: {
        argv: [options.command, ...options.args],
        cwd: launch.settings.workspace,
        env: defined(options.env),
        hold: holdRequest(launch),
      },
      turnOf: (uuid) => (begun?.uuid === uuid ? begun.turn_id : undefined),
      allowance: launch.allowance,
      listener,
    });
    return process;
  };
  const held = (): Held | undefined => process?.held;
  const query = sdk.query({ prompt: input, options: optionsOf(launch, noting(listener, held), spawn) });
  const reading = read(query, listener, () => process);
  const kill = async (graceMs: number): Promise<void> => {
    input.close();
    await process?.killAll(graceMs);
    query.close();
    await reading;
  };
  const ready = query.initializationResult();
  // Waiting callers get the rejection; there may be none.
  ready.catch(() => undefined);
  return {
    ready: ready.catch(() => new Promise<never>(() => undefined)),
    setServers: async (servers, changed) => {
      // The program rereads a server's tools only after the server was removed.
      const kept = servers.filter(({ name }) => !changed.includes(name));
      if (changed.length > 0) await query.setMcpServers(sdkServers(kept));
      await query.setMcpServers(sdkServers(servers));
    },
    send: (message, turn_id) => {
      process?.begin();
      begun = { uuid: message.uuid, turn_id };
      input.add(message);
    },
    held: heldOf(launch, held),
    interrupt: () => {
      // A process that has ended cannot be interrupted; its end is reported elsewhere.
      query.interrupt().catch(() => undefined);
    },
    finish: async () => {
      input.close();
      const over = new AbortController();
      const patience = pause(LIMITS.engineExitMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([reading, patience]);
      over.abort();
      await kill(LIMITS.engineKillMs);
    },
    kill: () => kill(LIMITS.engineKillMs),
  };
}

/** The same listener, whose decisions the next server knows too. */
function noting(listener: ProcessListener, held: () => Held | undefined): ProcessListener {
  return {
    ...listener,
    permit: (call, signal) => {
      const onVerdict = (verdict: Verdict): void => held()?.note(call.tool_use_id, JSON.stringify(verdict));
      return listener.permit({ ...call, onVerdict }, signal);
    },
  };
}

function heldOf({ host, salt }: Launch, held: () => Held | undefined): HeldTransport | undefined {
  if (host.sandbox.holds !== true) return undefined;
  return { salt, forfeit: () => held()?.forfeit(), leave: () => held()?.leave() };
}

async function read(
  query: SdkQuery,
  listener: ProcessListener,
  process: () => SandboxedProcess | undefined,
): Promise<void> {
  try {
    for await (const message of query) listener.heard(readMessage(message));
  } catch {
    // The SDK throws when the process fails; the exact end is known here.
  }
  const end = await process()?.end;
  listener.ended(end ?? { code: null, signal: null, complaint: "" });
}

function optionsOf(
  launch: Launch,
  listener: ProcessListener,
  spawnClaudeCodeProcess: QueryOptions["spawnClaudeCodeProcess"],
): QueryOptions {
  const { host, settings, offer, servers } = launch;
  const append = settings.system_prompt?.trim() ?? "";
  return {
    cwd: settings.workspace,
    env: environmentOf(launch),
    model: host.model.name,
    pathToClaudeCodeExecutable: launch.executable,
    spawnClaudeCodeProcess,
    permissionMode: "default",
    settingSources: [],
    strictMcpConfig: true,
    includePartialMessages: true,
    forwardSubagentText: true,
    systemPrompt: { type: "preset", preset: "claude_code", ...(append === "" ? {} : { append }) },
    tools: offer.tools,
    disallowedTools: FORBIDDEN_TOOLS,
    toolAliases: offer.aliases,
    maxTurns: settings.max_turns,
    ...(settings.thinking_tokens === undefined
      ? {}
      : { thinking: { type: "enabled", budgetTokens: settings.thinking_tokens } }),
    ...(settings.output_schema === undefined
      ? {}
      : { outputFormat: { type: "json_schema", schema: settings.output_schema } }),
    ...(settings.agents === undefined ? {} : { agents: vendorAgents(settings.agents, offer) }),
    mcpServers: sdkServers(servers),
    hooks: { PreToolUse: [{ hooks: [(input: unknown) => beforeCall(host, record(input))], timeout: HOOK_TIMEOUT }] },
    canUseTool: (tool, toolInput, { toolUseID, agentID, signal }) =>
      listener.permit({ tool, input: toolInput, tool_use_id: toolUseID, agent_id: agentID }, signal),
    extraArgs: { "disable-slash-commands": null },
    ...sessionOptions(launch.start),
  };
}

function sessionOptions(start: ConversationStart): Partial<QueryOptions> {
  switch (start.type) {
    case "fresh":
      return { sessionId: start.session };
    case "resume":
      return { resume: start.session };
    case "fork":
      return {
        resume: start.from.session,
        resumeSessionAt: start.from.uuid,
        forkSession: true,
        sessionId: start.session,
      };
  }
}

function sdkServers(servers: readonly OfferedToolServer[]): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map((server) => [server.name, sdkServer(server)]));
}

/** An offered server in the SDK's form: it gets a transport and answers on it. */
function sdkServer(server: OfferedToolServer): object {
  return {
    type: "sdk",
    name: server.name,
    alwaysLoad: true,
    instance: {
      connect: async (transport: McpTransport) => {
        const onmessage = (message: unknown): void => {
          void server.answer(message).then(async (answer) => {
            if (answer !== undefined) await transport.send(answer).catch(() => undefined);
          });
        };
        Object.assign(transport, { onmessage });
        await transport.start();
      },
      close: () => Promise.resolve(),
    },
  };
}

function defined(env: SpawnOptions["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Messages to the process, in order. One turn is open at a time, so few wait here. */
class ProcessInput implements AsyncIterable<object> {
  readonly #waiting: object[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  add(message: UserMessage): void {
    if (this.#closed) return;
    this.#waiting.push(wireMessage(message));
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) yield message;
      else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
