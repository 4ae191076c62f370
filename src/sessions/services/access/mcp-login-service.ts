import { randomBytes } from "node:crypto";
import { reasonOf, type ServerLogin, type StartedLogin } from "../../../mcp-client/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  type FinishMcpLogin,
  type McpLoginList,
  type McpLoginStarted,
  type McpLoginView,
  type StartMcpLogin,
} from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";

const STATE_BYTES = 32;

interface OpenLogin {
  readonly name: string;
  readonly by: string;
  readonly started: StartedLogin;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

type LoginParts = Pick<Dependencies, "clock" | "mcpServers" | "newId" | "redact" | "store">;

/** Logins at the MCP servers of the settings. Tokens never leave the server. */
export class McpLoginService {
  readonly #dependencies: LoginParts;
  /** Logins that wait for a person, by their state. */
  readonly #open = new Map<string, OpenLogin>();

  constructor(dependencies: LoginParts) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller): Promise<McpLoginList> {
    authorize(caller, "policy.read");
    const { mcpServers } = this.#dependencies;
    const views = Object.entries(mcpServers.servers).map(async ([name, setting]): Promise<readonly McpLoginView[]> => {
      const known = mcpServers.login(name);
      if (known === undefined || !("url" in setting)) return [];
      const stored = await known.stored();
      const at = stored === undefined ? undefined : new Date(stored.at).toISOString();
      const { scope } = stored?.tokens ?? {};
      return [{ name, url: setting.url, logged_in: stored !== undefined, ...defined({ at, scope }) }];
    });
    return { servers: (await Promise.all(views)).flat() };
  }

  /** Begins a login; a person goes on at the address. */
  async start(caller: Caller, name: string, { redirect_url }: StartMcpLogin): Promise<McpLoginStarted> {
    authorize(caller, "policy.write");
    const login = this.#login(name);
    checkRedirect(new URL(redirect_url));
    this.#forget();
    if (this.#open.size >= LIMITS.mcpOpenLogins)
      throw new Failure("limit_reached", `${LIMITS.mcpOpenLogins} logins wait already; finish one of them, or wait`);
    const state = randomBytes(STATE_BYTES).toString("base64url");
    const started = await this.#asked(name, () => login.start({ redirectUrl: redirect_url, state }));
    // A browser is sent there.
    if (!/^https?:$/.test(started.authorizationUrl.protocol))
      throw new Failure("connection_failed", `the MCP server ${name} names an address for logins that is no web page`);
    const until = this.#dependencies.clock.now() + LIMITS.mcpLoginMs;
    this.#open.set(state, { name, by: caller.id, started, until });
    return { authorization_url: started.authorizationUrl.href, state };
  }

  /** The person came back. Each login is finished once, by whoever began it. */
  async finish(caller: Caller, { state, code, iss }: FinishMcpLogin): Promise<McpLoginView> {
    authorize(caller, "policy.write");
    this.#forget();
    const open = this.#open.get(state);
    if (open === undefined || open.by !== caller.id)
      throw new Failure("not_found", "no login of yours waits for this answer; begin again");
    this.#open.delete(state);
    await this.#asked(open.name, () => open.started.finish({ code, iss }));
    await this.#audit(caller, "mcp.login", open.name);
    const view = (await this.list(caller)).servers.find(({ name }) => name === open.name);
    if (view === undefined) throw new Failure("not_found", `there is no MCP server ${open.name} any more`);
    return view;
  }

  /** Forgets the tokens. */
  async end(caller: Caller, name: string): Promise<void> {
    authorize(caller, "policy.write");
    await this.#login(name).end();
    await this.#audit(caller, "mcp.logout", name);
  }

  #login(name: string): ServerLogin {
    const login = this.#dependencies.mcpServers.login(name);
    if (login !== undefined) return login;
    const known = Object.hasOwn(this.#dependencies.mcpServers.servers, name);
    throw known
      ? new Failure("unsupported", `the MCP server ${name} has no login; set oauth: true for it in sallyport.yaml`)
      : new Failure("not_found", `sallyport.yaml has no MCP server ${name}`);
  }

  /** What another server says is no fault of ours. */
  async #asked<Value>(name: string, ask: () => Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Failure) throw error;
      const why = reasonOf(error).slice(0, LIMITS.mcpReasonChars);
      throw new Failure("connection_failed", `the login at the MCP server ${name} failed: ${why}`);
    }
  }

  #forget(): void {
    const now = this.#dependencies.clock.now();
    for (const [state, { until }] of this.#open) if (until <= now) this.#open.delete(state);
  }

  async #audit(caller: Caller, action: "mcp.login" | "mcp.logout", target: string): Promise<void> {
    await this.#dependencies.store.commit({ audit: [auditRow(this.#dependencies, caller, { action, target })] });
  }
}

/** A code may go to a page over TLS, or to a program on the person's own machine. */
function checkRedirect({ protocol, hostname }: URL): void {
  const isLoopback = hostname === "127.0.0.1" || hostname === "[::1]" || hostname === "localhost";
  if (protocol === "https:" || (protocol === "http:" && isLoopback)) return;
  throw new Failure("invalid_request", "redirect_url must begin with https://, or with http:// on the loopback");
}
