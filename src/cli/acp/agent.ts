import { isAbsolute } from "node:path";
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk";
import type { SallyportClient } from "../../client/index.ts";
import {
  Failure,
  LIMITS,
  showHidden,
  type CreateSession,
  type McpServers,
  type SessionView,
} from "../../protocol/index.ts";
import { changeOf, modeOf } from "./config-options.ts";
import { requestError } from "./failures.ts";
import { modesOf } from "./modes.ts";
import { refusedServer, serversOf } from "./mcp-servers.ts";
import { promptOf } from "./prompt.ts";
import { AcpSession } from "./session.ts";

export interface AcpOptions {
  readonly client: SallyportClient;
  readonly version: string;
  /** The settings of each new session. */
  readonly settings: CreateSession;
  /** The editor and the server share a file system. */
  readonly local: boolean;
  /** For the log; never standard output. */
  readonly complain: (words: string) => void;
}

/** Our sessions as an agent of the Agent Client Protocol, for one editor. */
export class AcpAgent {
  readonly #options: AcpOptions;
  readonly #sessions = new Map<string, AcpSession>();
  #notices = false;
  #mayDecide = false;

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  app(): AgentApp {
    const { session } = methods.agent;
    return agent({ name: "sallyport" })
      .onRequest(methods.agent.initialize, ({ params }) => told(() => this.#initialize(params)))
      .onRequest(session.new, ({ params, client }) => told(() => this.#new(params, client)))
      .onRequest(session.load, ({ params, client }) => told(() => this.#load(params.sessionId, client, "replay")))
      .onRequest(session.resume, ({ params, client }) => told(() => this.#load(params.sessionId, client, "resume")))
      .onRequest(session.list, ({ params }) => told(() => this.#list(params)))
      .onRequest(session.close, ({ params }) => told(() => this.#leave(params.sessionId)))
      .onRequest(session.setMode, ({ params }) => told(() => this.#setMode(params.sessionId, params.modeId)))
      .onRequest(session.setConfigOption, ({ params }) => told(() => this.#setConfigOption(params)))
      .onRequest(session.prompt, ({ params, signal }) =>
        told(async () => this.#session(params.sessionId).prompt(promptOf(params.prompt), signal)),
      )
      .onNotification(session.cancel, ({ params }) => this.#cancel(params.sessionId));
  }

  /** Releases all sessions. With `interrupt` the turns that the editor started end too. */
  async close(how: { readonly interrupt: boolean }): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close(how)));
    this.#sessions.clear();
  }

  async #initialize({ clientCapabilities }: InitializeRequest): Promise<InitializeResponse> {
    const { rights } = await this.#options.client.me();
    this.#notices = clientCapabilities?.session?.notices != null;
    this.#mayDecide = rights["approval.decide"] !== undefined;
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "sallyport", title: "Sallyport", version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  async #new({ cwd, mcpServers }: NewSessionRequest, editor: AgentContext): Promise<NewSessionResponse> {
    if (!isAbsolute(cwd)) throw new Failure("invalid_request", `cwd: ${cwd} is not an absolute path`);
    this.#checkRoom();
    const { view, refused } = await this.#create(cwd, serversOf(mcpServers));
    const session = await this.#open(view, editor);
    session.start();
    for (const words of refused) session.sayLater(words);
    return { sessionId: view.id, modes: modesOf(view.settings), configOptions: session.configOptions() };
  }

  /** A new session, without those of the editor's MCP servers that the policy does not give. */
  async #create(cwd: string, wanted: McpServers): Promise<{ view: SessionView; refused: readonly string[] }> {
    const { client, settings, local } = this.#options;
    const servers = { ...wanted };
    const refused: string[] = [];
    for (;;) {
      try {
        const view = await client.createSession({
          ...(local ? { workspace: cwd } : {}),
          // A caller that cannot raise a limit does not wait for somebody who can.
          ...(this.#mayDecide ? {} : { at_budget_end: "fail" }),
          ...settings,
          ...(Object.keys(servers).length === 0 ? {} : { mcp_servers: servers }),
        });
        return { view, refused };
      } catch (error) {
        const name = refusedServer(error);
        // Each round has one server fewer.
        if (name === undefined || !Object.hasOwn(servers, name)) throw error;
        delete servers[name];
        refused.push(`the editor's MCP server ${name} is not used: ${(error as Error).message}`);
      }
    }
  }

  async #load(id: string, editor: AgentContext, how: "replay" | "resume"): Promise<LoadSessionResponse> {
    const known = this.#sessions.get(id);
    if (known === undefined) this.#checkRoom();
    const view = await this.#options.client.session(id);
    this.#sessions.delete(id);
    await known?.close({ interrupt: false });
    const session = await this.#open(view, editor);
    const open = how === "replay" ? await session.replay() : view.pending_approvals;
    session.start();
    await session.askAgain(open);
    return { modes: modesOf(view.settings), configOptions: session.configOptions() };
  }

  async #list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const page = await this.#options.client.sessions({
      limit: LIMITS.acpListedSessions,
      ...(cursor == null ? {} : { cursor }),
    });
    const shown = page.sessions.filter(({ settings }) => cwd == null || settings.workspace === cwd);
    return {
      sessions: shown.map(({ id, settings, title, updated_at }) => ({
        sessionId: id,
        cwd: settings.workspace,
        title: showHidden(title, "content"),
        updatedAt: updated_at,
      })),
      ...(page.next === undefined ? {} : { nextCursor: page.next }),
    };
  }

  async #setMode(id: string, modeId: string): Promise<Record<string, never>> {
    await this.#session(id).configure({ permission_mode: modeOf(modeId) });
    return {};
  }

  async #setConfigOption(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse> {
    const session = this.#session(request.sessionId);
    await session.configure(changeOf(request.configId, request.value));
    return { configOptions: session.configOptions() };
  }

  async #leave(id: string): Promise<Record<string, never>> {
    const session = this.#session(id);
    this.#sessions.delete(id);
    await session.close({ interrupt: true });
    return {};
  }

  async #cancel(id: string): Promise<void> {
    // A notification has no answer: an error can only be logged.
    try {
      await this.#session(id).cancel();
    } catch (error) {
      this.#options.complain(`session ${id} could not be cancelled: ${error instanceof Error ? error.message : "?"}`);
    }
  }

  async #open(view: SessionView, editor: AgentContext): Promise<AcpSession> {
    const { client, complain } = this.#options;
    const { models } = await client.sessionModels(view.id);
    const session = new AcpSession({
      client,
      editor,
      view,
      models,
      complain,
      mayDecide: this.#mayDecide,
      notices: this.#notices,
    });
    this.#sessions.set(view.id, session);
    return session;
  }

  #session(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  #checkRoom(): void {
    if (this.#sessions.size >= LIMITS.acpSessions)
      throw new Failure("limit_reached", `an editor may have ${LIMITS.acpSessions} sessions open; close one first`);
  }
}

/** Converts refusals to the protocol's own form. */
async function told<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw requestError(error);
  }
}
