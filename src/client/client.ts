import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import { Failure } from "../protocol/failure.ts";
import type {
  ApplyChanges,
  Approval,
  ApprovalStatus,
  AuditEntry,
  CatalogList,
  CatalogView,
  ChangeDiff,
  ChangeList,
  ChangesDone,
  CommitChanges,
  ConfigureSession,
  ConnectionConfig,
  ConnectionRecord,
  ConnectionReport,
  ConnectionView,
  CreateSession,
  CreateKey,
  CreateToken,
  Decision,
  DiscardChanges,
  EditPreview,
  EngineView,
  SandboxView,
  FileList,
  FolderList,
  ForkSession,
  Interrupt,
  JobKind,
  JobRequests,
  JobViews,
  JournalEvent,
  Me,
  Policy,
  PolicyChange,
  PolicyTest,
  PreviewEdit,
  PriceList,
  ModelList,
  ModelQuery,
  PriceQuery,
  PromptAccepted,
  ProviderReport,
  ProviderView,
  QueryAnswer,
  QuerySql,
  PruneReport,
  PruneRequest,
  Role,
  Ruling,
  PoolChange,
  PoolView,
  SaveTemplate,
  SearchPage,
  SessionUsage,
  SessionContext,
  SessionMcpServers,
  SessionModels,
  SessionView,
  SetBudget,
  SqlClass,
  StreamFrame,
  SubmitPrompt,
  Template,
  TextSearchQuery,
  WorkerView,
  KeyCreated,
  KeyList,
  TokenCreated,
  TokenList,
  UsageReport,
  WorkspaceCommandList,
} from "../protocol/index.ts";
import { refusalOf, requestOf, type ApiCall, type Idempotent } from "./calls/api-call.ts";
import { McpLogins } from "./calls/mcp-logins.ts";
import type { ServerHealth } from "./answers.ts";
import { InboxClient } from "./inbox.ts";
import { ReviewCalls } from "./calls/review-calls.ts";
import { ExportCalls } from "./calls/export-calls.ts";
import { ProjectCalls } from "./calls/project-calls.ts";
import { QueueCalls } from "./calls/queue-calls.ts";
import { NotificationCalls } from "./calls/notification-calls.ts";
import { pause, retryWait } from "./pause.ts";
import { readJournal, type WatchedJournal } from "./journal-stream.ts";
import { LongRunCalls, ScheduleCalls, WebhookCalls } from "./calls/unattended-work.ts";
import { checkVersion } from "./version-check.ts";
import { currentToken, withToken, type CurrentToken, type TokenSource } from "./token.ts";
import { TunnelCalls } from "./calls/tunnel-calls.ts";
import { changesOf, connectionPath, csvOf, jobPath, search, usageSearch } from "./paths.ts";
import type { CsvFile, SessionListQuery, UsageFilter } from "./paths.ts";

export interface ClientOptions {
  /** Such as `http://127.0.0.1:5353`. */
  readonly url: string;
  /** Or a function that gets one, such as a visitor's from your own server: it is called again when the last one has expired. */
  readonly token: TokenSource;
  readonly fetch?: typeof fetch;
  /** Called when a stream was lost and is about to be resumed. */
  readonly onReconnect?: (attempt: number, waitMs: number) => void;
}

export interface WatchOptions {
  /** The last known seq; 0 for everything. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** The typed client for browsers and Node. A refusal of the server is thrown as the Failure that it sent. */
export class SallyportClient {
  readonly #options: ClientOptions;
  readonly #fetch: typeof fetch;
  readonly #token: CurrentToken;
  /** Questions, beside answering one: several at once, more time, asking again. */
  readonly inbox = new InboxClient((call) => this.#call(call));
  readonly exports: ExportCalls;
  /** Comments on a session's changes, its files over time, and pushing. */
  readonly reviews: ReviewCalls = new ReviewCalls((call) => this.#call(call));
  /** Models of other machines, and what this one offers to others. */
  readonly tunnels: TunnelCalls = new TunnelCalls((call) => this.#call(call));
  /** Prompts that wait. */
  readonly queue = new QueueCalls((call) => this.#call(call));
  /** Projects of the workbench. */
  readonly projects = new ProjectCalls((call) => this.#call(call));
  readonly mcpLogins = new McpLogins((call) => this.#call(call));

  readonly longRuns = new LongRunCalls((call) => this.#call(call));
  readonly schedules = new ScheduleCalls((call) => this.#call(call));
  readonly webhooks = new WebhookCalls((call) => this.#call(call));
  readonly notifications = new NotificationCalls((call) => this.#call(call));

  constructor(options: ClientOptions) {
    this.#token = currentToken(options.token);
    this.#options = { ...options, url: options.url.replace(/\/+$/, "") };
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.exports = new ExportCalls({ call: (call) => this.#call(call), send: (call) => this.#send(call) });
  }

  health(): Promise<ServerHealth> {
    return this.#call({ method: "GET", path: "/health" });
  }

  /** Who this token is, and what it may do. */
  me(): Promise<Me> {
    return this.#call({ method: "GET", path: "/api/me" });
  }

  /** What sessions can have: engines, and sandboxes, weakest first. */
  engines(): Promise<{ engines: EngineView[]; sandboxes: SandboxView[] }> {
    return this.#call({ method: "GET", path: "/api/engines" });
  }

  /** Folders that sessions may work in; without a path the roots. */
  folders(query: { path?: string } = {}): Promise<FolderList> {
    return this.#call({ method: "GET", path: `/api/folders${search(query)}` });
  }

  /** Words in conversations that the caller may read, newest first. */
  searchText(query: TextSearchQuery): Promise<SearchPage> {
    return this.#call({ method: "GET", path: `/api/search${search({ ...query })}` });
  }

  templates(): Promise<{ templates: Template[] }> {
    return this.#call({ method: "GET", path: "/api/templates" });
  }

  saveTemplate(id: string, template: SaveTemplate): Promise<Template> {
    return this.#call({ method: "PUT", path: `/api/templates/${encodeURIComponent(id)}`, body: template });
  }

  deleteTemplate(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `/api/templates/${encodeURIComponent(id)}` });
  }

  workers(): Promise<{ workers: WorkerView[] }> {
    return this.#call({ method: "GET", path: "/api/workers" });
  }

  pool(): Promise<PoolView> {
    return this.#call({ method: "GET", path: "/api/pool" });
  }

  /** Until the server stops. */
  setPool(change: PoolChange): Promise<PoolView> {
    return this.#call({ method: "PATCH", path: "/api/pool", body: change });
  }

  /** Starts a job: commands in a sandbox, or one model call. Answered at once; `watch` its id for what comes of it. */
  createJob<Kind extends JobKind>(
    kind: Kind,
    job: JobRequests[Kind],
    { key }: Idempotent = {},
  ): Promise<JobViews[Kind]> {
    return this.#call({ method: "POST", path: `/api/${kind}`, body: job, key });
  }

  job<Kind extends JobKind>(kind: Kind, id: string): Promise<JobViews[Kind]> {
    return this.#call({ method: "GET", path: jobPath(kind, id) });
  }

  jobs<Kind extends JobKind>(
    kind: Kind,
    query: { cursor?: string; limit?: number } = {},
  ): Promise<{ jobs: JobViews[Kind][]; next?: string }> {
    return this.#call({ method: "GET", path: `/api/${kind}${search(query)}` });
  }

  /** Ends a job and everything that it runs. */
  stopJob<Kind extends JobKind>(kind: Kind, id: string): Promise<JobViews[Kind]> {
    return this.#call({ method: "POST", path: `${jobPath(kind, id)}/stop` });
  }

  /** Ends a job and deletes it. */
  deleteJob(kind: JobKind, id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: jobPath(kind, id) });
  }

  createSession(session: CreateSession, { key }: Idempotent = {}): Promise<SessionView> {
    return this.#call({ method: "POST", path: "/api/sessions", body: session, key });
  }

  session(id: string): Promise<SessionView> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}` });
  }

  sessions(query: SessionListQuery = {}): Promise<{ sessions: SessionView[]; next?: string }> {
    return this.#call({ method: "GET", path: `/api/sessions${search(query)}` });
  }

  prompt(id: string, prompt: SubmitPrompt, { key }: Idempotent = {}): Promise<PromptAccepted> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(id)}/prompts`, body: prompt, key });
  }

  control(id: string, verb: "interrupt" | "pause" | "resume" | "close"): Promise<SessionView> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(id)}/${verb}` });
  }

  /** Ends the session and deletes its journal, approvals and files. Its forks continue; its usage stays. */
  deleteSession(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `/api/sessions/${encodeURIComponent(id)}` });
  }

  /** Deletes old sessions. With `dry_run` it only reports which. */
  prune(request: PruneRequest): Promise<PruneReport> {
    return this.#call({ method: "POST", path: "/api/prune", body: request });
  }

  /** Ends the open turn. `hold_queue`: waiting prompts begin only after `resume`. */
  interrupt(id: string, options: Interrupt = {}): Promise<SessionView> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(id)}/interrupt`, body: options });
  }

  /** Removes a prompt from the queue before it begins. */
  removePrompt(id: string, turnId: string): Promise<SessionView> {
    const path = `/api/sessions/${encodeURIComponent(id)}/prompts/${encodeURIComponent(turnId)}`;
    return this.#call({ method: "DELETE", path });
  }

  fork(id: string, fork: ForkSession = {}, { key }: Idempotent = {}): Promise<SessionView> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(id)}/fork`, body: fork, key });
  }

  /** The MCP servers of a session, and how they are. */
  sessionMcpServers(id: string): Promise<SessionMcpServers> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/mcp` });
  }

  /** The models that a session can switch to, its own first. */
  sessionModels(id: string): Promise<SessionModels> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/models` });
  }

  /** What the workspace says to the agent from the next turn on, and what that costs in tokens. */
  sessionContext(id: string): Promise<SessionContext> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/context` });
  }

  /** Commands and skills of the workspace that a prompt can begin with. */
  sessionCommands(id: string): Promise<WorkspaceCommandList> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/commands` });
  }

  /** The model changes with the next turn, the autonomy or the mode with the next tool call. */
  configure(id: string, settings: ConfigureSession, { key }: Idempotent = {}): Promise<SessionView> {
    return this.#call({
      method: "POST",
      path: `/api/sessions/${encodeURIComponent(id)}/settings`,
      body: settings,
      key,
    });
  }

  /** The most that the session may spend, micro-USD. A turn that waits for money continues. */
  setBudget(id: string, budget: SetBudget): Promise<SessionView> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(id)}/budget`, body: budget });
  }

  events(
    id: string,
    query: { after?: number; limit?: number } = {},
  ): Promise<{ events: JournalEvent[]; next?: number }> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/events${search(query)}` });
  }

  /** Files of the session's workspace whose path matches, best first. */
  files(id: string, query: { query?: string; limit?: number } = {}): Promise<FileList> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/files${search(query)}` });
  }

  /** What a session changed. */
  changes(id: string): Promise<ChangeList> {
    return this.#call({ method: "GET", path: changesOf(id) });
  }

  changeDiff(id: string, path: string): Promise<ChangeDiff> {
    return this.#call({ method: "GET", path: `${changesOf(id)}/diff${search({ path })}` });
  }

  /** Writes the changes into the source folder. */
  applyChanges(id: string, wanted: ApplyChanges = {}): Promise<ChangesDone> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/apply`, body: wanted });
  }

  /** Commits them on a branch of the source's repository. */
  commitChanges(id: string, wanted: CommitChanges): Promise<ChangesDone> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/commit`, body: wanted });
  }

  /** Puts the session's files back to what they were. */
  discardChanges(id: string, wanted: DiscardChanges = {}): Promise<ChangesDone> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/discard`, body: wanted });
  }

  approvals(
    query: { status?: ApprovalStatus; session_id?: string; cursor?: string; limit?: number } = {},
  ): Promise<{ approvals: Approval[]; next?: string }> {
    return this.#call({ method: "GET", path: `/api/approvals${search(query)}` });
  }

  approval(id: string): Promise<Approval> {
    return this.#call({ method: "GET", path: `/api/approvals/${encodeURIComponent(id)}` });
  }

  /** What an approval would look like with another input. Nothing is decided. */
  previewEdit(id: string, edit: PreviewEdit): Promise<EditPreview> {
    return this.#call({ method: "POST", path: `/api/approvals/${encodeURIComponent(id)}/preview`, body: edit });
  }

  decide(id: string, decision: Decision): Promise<Approval> {
    return this.#call({ method: "POST", path: `/api/approvals/${encodeURIComponent(id)}`, body: decision });
  }

  policy(): Promise<Policy> {
    return this.#call({ method: "GET", path: "/api/policy" });
  }

  setPolicy(policy: Policy): Promise<Policy> {
    return this.#call({ method: "PUT", path: "/api/policy", body: policy });
  }

  policyHistory(): Promise<{ changes: PolicyChange[] }> {
    return this.#call({ method: "GET", path: "/api/policy/history" });
  }

  audit(
    query: { action?: string; by?: string; cursor?: string; limit?: number } = {},
  ): Promise<{ entries: AuditEntry[]; next?: string }> {
    return this.#call({ method: "GET", path: `/api/audit${search(query)}` });
  }

  /** The same entries as CSV. */
  async auditCsv(query: { action?: string; by?: string } = {}): Promise<CsvFile> {
    return csvOf(await this.#send({ method: "GET", path: `/api/audit${search(query)}`, accept: "text/csv" }));
  }

  testPolicy(test: PolicyTest): Promise<Ruling> {
    return this.#call({ method: "POST", path: "/api/policy/test", body: test });
  }

  /** Newest first; without `role` all except visitors'. */
  tokens(query: { role?: Role; cursor?: string; limit?: number } = {}): Promise<TokenList> {
    return this.#call({ method: "GET", path: `/api/tokens${search(query)}` });
  }

  createToken(token: CreateToken, { key }: Idempotent = {}): Promise<TokenCreated> {
    return this.#call({ method: "POST", path: "/api/tokens", body: token, key });
  }

  /** API keys, for programs that are no sessions. Newest first. */
  keys(query: { cursor?: string; limit?: number } = {}): Promise<KeyList> {
    return this.#call({ method: "GET", path: `/api/keys${search(query)}` });
  }

  createKey(apiKey: CreateKey, { key }: Idempotent = {}): Promise<KeyCreated> {
    return this.#call({ method: "POST", path: "/api/keys", body: apiKey, key });
  }

  deleteKey(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `/api/keys/${encodeURIComponent(id)}` });
  }

  deleteToken(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `/api/tokens/${encodeURIComponent(id)}` });
  }

  usage(filter: UsageFilter = {}): Promise<UsageReport> {
    return this.#call({ method: "GET", path: `/api/usage${usageSearch(filter)}` });
  }

  /** The same lines as CSV. */
  async usageCsv(filter: UsageFilter = {}): Promise<CsvFile> {
    return csvOf(await this.#send({ method: "GET", path: `/api/usage${usageSearch(filter)}`, accept: "text/csv" }));
  }

  sessionUsage(id: string): Promise<SessionUsage> {
    return this.#call({ method: "GET", path: `/api/sessions/${encodeURIComponent(id)}/usage` });
  }

  providers(): Promise<{ providers: ProviderView[] }> {
    return this.#call({ method: "GET", path: "/api/providers" });
  }

  testProvider(id: string): Promise<ProviderReport> {
    return this.#call({ method: "POST", path: `/api/providers/${encodeURIComponent(id)}/test` });
  }

  /** Keeps a provider's key, if one request shows that it works. */
  setProviderKey(id: string, key: string): Promise<ProviderReport> {
    return this.#call({ method: "PUT", path: `/api/providers/${encodeURIComponent(id)}/key`, body: { key } });
  }

  /** The models that sessions can ask, with their windows and prices. */
  models(query: ModelQuery = {}): Promise<ModelList> {
    return this.#call({ method: "GET", path: `/api/models${search(query)}` });
  }

  prices(query: PriceQuery = {}): Promise<PriceList> {
    return this.#call({ method: "GET", path: `/api/prices${search(query)}` });
  }

  /** Databases that this token may query. */
  connections(): Promise<{ connections: ConnectionView[] }> {
    return this.#call({ method: "GET", path: "/api/connections" });
  }

  /** A connection's settings; for admins. */
  connection(id: string): Promise<ConnectionRecord> {
    return this.#call({ method: "GET", path: connectionPath(id) });
  }

  putConnection(id: string, config: ConnectionConfig): Promise<ConnectionRecord> {
    return this.#call({ method: "PUT", path: connectionPath(id), body: config });
  }

  removeConnection(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: connectionPath(id) });
  }

  testConnection(id: string): Promise<ConnectionReport> {
    return this.#call({ method: "POST", path: connectionPath(id, "/test") });
  }

  catalogs(id: string): Promise<CatalogList> {
    return this.#call({ method: "GET", path: connectionPath(id, "/catalogs") });
  }

  /** Schemas, tables, columns and foreign keys that this token may read. */
  catalog(id: string, name: string): Promise<CatalogView> {
    return this.#call({ method: "GET", path: connectionPath(id, `/catalogs/${encodeURIComponent(name)}`) });
  }

  /** Whether a statement only reads, by parsing it; it is not run. */
  classifySql(id: string, sql: string): Promise<SqlClass> {
    return this.#call({ method: "POST", path: connectionPath(id, "/classify"), body: { sql } });
  }

  /** Runs one read-only statement. Aborting the signal ends it in the database too. */
  querySql(id: string, query: QuerySql, signal?: AbortSignal): Promise<QueryAnswer> {
    return this.#call({ method: "POST", path: connectionPath(id, "/query"), body: query, signal });
  }

  /**
   * The journal after a seq, then live. A lost connection is resumed from the last received seq, with growing waits;
   * every journaled event comes exactly once. Ends when the session has ended or the signal is aborted.
   */
  async *watch(id: string, options: WatchOptions = {}): AsyncGenerator<StreamFrame> {
    const signal = options.signal ?? new AbortController().signal;
    let after = options.after ?? 0;
    let tries = 0;
    for (;;) {
      try {
        for await (const frame of readJournal(this.#journal(id), after, signal)) {
          tries = 0;
          if ("seq" in frame) after = frame.seq;
          yield frame;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        if ((error instanceof Failure && error.code !== "shutting_down") || tries >= CLIENT_LIMITS.streamRetries)
          throw error;
        const wait = retryWait(tries);
        tries += 1;
        this.#options.onReconnect?.(tries, wait);
        await pause(wait, signal);
        if (signal.aborted) return;
      }
    }
  }

  #journal(id: string): WatchedJournal {
    const url = `${this.#options.url}/api/sessions/${encodeURIComponent(id)}/events`;
    return { url, fetch: this.#fetch, token: this.#token, session: () => this.session(id) };
  }

  async #call<Answer>(call: ApiCall): Promise<Answer> {
    const response = await this.#send(call);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }

  async #send(call: ApiCall): Promise<Response> {
    const response = await withToken(this.#token, (authorization) =>
      this.#fetch(`${this.#options.url}${call.path}`, requestOf(call, authorization)),
    );
    checkVersion(response);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}
