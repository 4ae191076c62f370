import type {
  AuthProvider,
  extractWWWAuthenticateParams,
  FetchLike,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { publicAddress } from "../../network/index.ts";
import { defined, Failure, LIMITS } from "../../protocol/index.ts";
import { LoginNeeded } from "../failures.ts";
import { openRemoteFetch } from "../remote-fetch.ts";
import type { LoginFiles, StoredServerLogin } from "./login-file.ts";
import { LoginProvider } from "./login-provider.ts";

export interface ServerLoginParts {
  readonly name: string;
  readonly url: URL;
  readonly files: LoginFiles;
  readonly now: () => number;
  /** A client that the authorization server knows already. Undefined: it is asked to register one. */
  readonly client: () => Promise<StoredOAuthClientInformation | undefined>;
  /** The address of a document that describes the client; absent: there is none. */
  readonly clientMetadataUrl?: string | undefined;
  /** What to ask for; absent: what the server says. */
  readonly scope?: string | undefined;
  /** Where names lead. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** How long one step of a login may take. Absent: LIMITS.mcpLoginStepMs. */
  readonly stepMs?: number | undefined;
}

/** A login that waits for a person. */
export interface StartedLogin {
  readonly authorizationUrl: URL;
  /** Trades the code for tokens and keeps them. `iss`: as the redirect had it. */
  finish(answer: { readonly code: string; readonly iss?: string | undefined }): Promise<void>;
}

/** Large, and most servers of ours never need it. */
const loadSdk = () => import("@modelcontextprotocol/client");

/** The login at one remote server, by OAuth as the specification says. Its tokens stay here: no sandbox and no agent sees them. */
export class ServerLogin {
  readonly #parts: ServerLoginParts;
  /** Refreshes come one after the other: a refresh token may count only once. */
  #last: Promise<unknown> = Promise.resolve();
  /** More than the present tokens allow: what a server asked for. */
  #wanted: string | undefined;

  constructor(parts: ServerLoginParts) {
    this.#parts = parts;
  }

  /** Undefined: there is none. */
  stored(): Promise<StoredServerLogin | undefined> {
    const { files, name, url } = this.#parts;
    return files.read(name, url.href);
  }

  async end(): Promise<void> {
    await this.#parts.files.remove(this.#parts.name);
  }

  /** For one connection: the token of now, and a new one when it has run out. */
  connection(): AuthProvider {
    let used: string | undefined;
    return {
      token: async () => (used = (await this.stored())?.tokens.access_token),
      onUnauthorized: ({ response }) => this.#inOrder(() => this.#refresh(used, response)),
    };
  }

  /** What a refused request says: a wider login is needed. */
  async refused(response: Response): Promise<LoginNeeded | undefined> {
    if (response.status !== 403) return undefined;
    const { error, scope } = (await loadSdk()).extractWWWAuthenticateParams(response);
    if (error !== "insufficient_scope") return undefined;
    this.#wanted = scope;
    return new LoginNeeded(this.#parts.name);
  }

  /** Begins a login: a person goes to the address, and comes back to `redirectUrl` with a code. */
  async start(request: { readonly redirectUrl: string; readonly state: string }): Promise<StartedLogin> {
    const { name, url, client, now, files } = this.#parts;
    const wanted = joined(this.#parts.scope, this.#wanted);
    const provider = new LoginProvider(
      { ...request, scope: wanted, clientMetadataUrl: this.#parts.clientMetadataUrl },
      { client: await client() },
    );
    const { auth } = await loadSdk();
    await this.#withFetch(async (fetchFn) => {
      const { resourceMetadataUrl, scope } = await this.#challenge(fetchFn);
      await auth(provider, {
        serverUrl: url,
        fetchFn,
        ...defined({ resourceMetadataUrl, scope: wanted ?? scope }),
      });
    });
    const { authorizationUrl } = provider.draft;
    if (authorizationUrl === undefined) throw new Failure("unsupported", `the MCP server ${name} asks for no login`);
    // A person's browser goes there.
    if (!["https:", "http:"].includes(authorizationUrl.protocol))
      throw new Failure("connection_failed", `the MCP server ${name} sends people to ${authorizationUrl.protocol}`);
    return {
      authorizationUrl,
      finish: async ({ code, iss }) => {
        await this.#withFetch((fetchFn) =>
          auth(provider, { serverUrl: url, fetchFn, authorizationCode: code, ...defined({ iss }) }),
        );
        const { client: known, tokens } = provider.draft;
        if (known === undefined || tokens === undefined)
          throw new Failure("connection_failed", `the login at the MCP server ${name} gave no token`);
        this.#wanted = undefined;
        const login = { client: { ...known }, tokens: { ...tokens }, redirect_url: request.redirectUrl };
        await files.write(name, { url: url.href, ...login, at: now() });
      },
    };
  }

  /** What the server says to somebody without a login. */
  async #challenge(
    fetchFn: FetchLike,
  ): Promise<Pick<ReturnType<typeof extractWWWAuthenticateParams>, "resourceMetadataUrl" | "scope">> {
    const response = await fetchFn(this.#parts.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
    });
    await response.body?.cancel();
    return response.status === 401 ? (await loadSdk()).extractWWWAuthenticateParams(response) : {};
  }

  async #refresh(used: string | undefined, response: Response): Promise<void> {
    const { name, url, files, now } = this.#parts;
    const stored = await this.stored();
    // Another session was faster.
    if (stored !== undefined && stored.tokens.access_token !== used) return;
    if (stored?.tokens.refresh_token === undefined) throw new LoginNeeded(name);
    const request = { redirectUrl: stored.redirect_url, state: "", scope: undefined };
    const draft = {
      client: stored.client as StoredOAuthClientInformation,
      tokens: stored.tokens as StoredOAuthTokens,
    };
    const provider = new LoginProvider(request, draft);
    const { auth, extractWWWAuthenticateParams: challengeOf } = await loadSdk();
    const { resourceMetadataUrl } = challengeOf(response);
    const result = await this.#withFetch((fetchFn) =>
      auth(provider, {
        serverUrl: url,
        fetchFn,
        ...defined({ resourceMetadataUrl }),
      }),
    ).catch(() => undefined);
    const { tokens } = provider.draft;
    if (result !== "AUTHORIZED" || tokens === undefined) throw new LoginNeeded(name);
    await files.write(name, { ...stored, tokens: { ...tokens }, at: now() });
  }

  async #withFetch<Value>(work: (fetchFn: FetchLike) => Promise<Value>): Promise<Value> {
    const { url, addressOf, stepMs = LIMITS.mcpLoginStepMs } = this.#parts;
    const remote = openRemoteFetch({ url, rule: "named" }, { addressOf, reach: "authorization" });
    // An answer that comes byte by byte is no silence: only the whole time ends it.
    const late = AbortSignal.timeout(stepMs);
    const stopped = new Promise<never>((_, reject) => {
      late.addEventListener("abort", () => reject(new Error(`it took more than ${stepMs / 1_000} s`)), { once: true });
    });
    try {
      return await Promise.race([work((target, init) => remote.fetch(target, { ...init, signal: late })), stopped]);
    } finally {
      await remote.close();
    }
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

function joined(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((word) => word !== ""));
  return words.size === 0 ? undefined : [...words].join(" ");
}
