import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { Agent, request, type Dispatcher } from "undici";
import { Failure, firstAbort, LIMITS, type LoginProgram } from "../../protocol/index.ts";
import { throughProxies } from "../http/network-proxies.ts";
import { LOGIN_FORMS, RefreshedTokens, type StoredLogin } from "./login-files.ts";
import type { KeySource, Secret, SourceContext } from "./sources.ts";
import { readBounded, stampOf } from "./watched-file.ts";

interface LoginPlace {
  readonly program: LoginProgram;
  /** Absolute. */
  readonly path: string;
  readonly tokenUrl: string;
}

interface ReadLogin {
  readonly login: StoredLogin;
  /** The parsed file. */
  readonly file: unknown;
  readonly mode: number;
}

/**
 * The login that a person has with a vendor's program, from that program's own file. The token is refreshed shortly before it ends
 * or when it was refused, once for all who wait, and the file gets the new one, so that the program can use it too.
 */
export class LoginSource implements KeySource {
  readonly name: string;
  readonly #place: LoginPlace;
  readonly #context: SourceContext;
  /** The file as last read, and its state then. */
  #known: { readonly stamp: string | undefined; readonly read: ReadLogin | Failure } | undefined;
  #checked = Number.NEGATIVE_INFINITY;
  /** The token that the provider refused last. */
  #refused: string | undefined;
  /** Why the last refresh failed, for the file as it was then. */
  #failed: { readonly stamp: string | undefined; readonly at: number; readonly failure: Failure } | undefined;
  #running: Promise<StoredLogin> | undefined;

  constructor(place: LoginPlace, context: SourceContext) {
    this.name = `${LOGIN_FORMS[place.program].title}'s login`;
    this.#place = place;
    this.#context = context;
  }

  ready(): readonly Secret[] | undefined {
    const read = this.#newest();
    if (read instanceof Failure) throw read;
    return this.#isFresh(read.login) ? [this.#secret(read.login)] : undefined;
  }

  async read(): Promise<readonly Secret[]> {
    const ready = this.ready();
    if (ready !== undefined) return ready;
    this.#running ??= this.#renew().finally(() => {
      this.#running = undefined;
    });
    return [this.#secret(await this.#running)];
  }

  refused(): void {
    const read = this.#known?.read;
    if (read !== undefined && !(read instanceof Failure)) this.#refused = read.login.accessToken;
    this.#checked = Number.NEGATIVE_INFINITY;
  }

  #isFresh({ accessToken, expiresAt }: StoredLogin): boolean {
    if (accessToken === this.#refused) return false;
    return expiresAt === undefined || expiresAt - this.#context.now() > LIMITS.loginAheadMs;
  }

  #secret({ accessToken, headers }: StoredLogin): Secret {
    return { name: this.name, value: accessToken, headers };
  }

  /** The file as it is now, looked at once in a while. */
  #newest(): ReadLogin | Failure {
    const at = this.#context.now();
    const known = this.#known;
    if (known !== undefined && at - this.#checked < LIMITS.settingsCheckMs && at >= this.#checked) return known.read;
    this.#checked = at;
    const stamp = stampOf(this.#place.path);
    if (known !== undefined && stamp !== undefined && stamp === known.stamp) return known.read;
    const read = this.#look();
    this.#known = { stamp, read };
    return read;
  }

  #look(): ReadLogin | Failure {
    const { title, command, file: name } = LOGIN_FORMS[this.#place.program];
    try {
      const { text, mode, uid } = readBounded(this.#place.path, LIMITS.loginFileBytes);
      if ((mode & 0o077) !== 0) return this.#unusable(`others on this machine have a right to ${name}: chmod 600 it`);
      if (uid !== 0 && uid !== (process.getuid?.() ?? uid)) return this.#unusable(`${name} belongs to another user`);
      const file: unknown = JSON.parse(text);
      const login = LOGIN_FORMS[this.#place.program].read(file);
      if (login === undefined) return this.#unusable(`${name} holds no login of ${title}: log in with \`${command}\``);
      // Also the one that is used for nothing but refreshing: an agent may find the file.
      for (const token of [login.accessToken, login.refreshToken])
        if (token !== undefined) this.#context.learn?.(token);
      return { login, file, mode: mode & 0o777 };
    } catch (error) {
      if (error instanceof Failure || error instanceof SyntaxError)
        return this.#unusable(`${name} cannot be understood: log in again with \`${command}\``);
      const { code } = error as NodeJS.ErrnoException;
      return code === "ENOENT"
        ? this.#unusable(`there is no ${name}: log in with \`${command}\` as the user of this server`)
        : this.#unusable(`${name} cannot be read (${code ?? "?"})`);
    }
  }

  #unusable(what: string): Failure {
    const { title } = LOGIN_FORMS[this.#place.program];
    return new Failure("model_unauthenticated", `${this.#context.owner} uses the login of ${title}: ${what}`);
  }

  async #renew(): Promise<StoredLogin> {
    const read = this.#newest();
    if (read instanceof Failure) throw read;
    const { login } = read;
    const now = this.#context.now();
    const failed = this.#failed;
    const isRecent = failed !== undefined && now >= failed.at && now - failed.at < LIMITS.credentialAgainMs;
    const old = this.#usable(login);
    if (isRecent && failed.stamp === this.#known?.stamp) {
      if (old !== undefined) return old;
      throw failed.failure;
    }
    try {
      const tokens = await this.#ask(login);
      this.#failed = undefined;
      this.#refused = undefined;
      return this.#keep(read, tokens);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failed = { stamp: this.#known?.stamp, at: now, failure: error };
      if (old === undefined) throw error;
      return old;
    }
  }

  /** A token that is about to end works until then. */
  #usable(login: StoredLogin): StoredLogin | undefined {
    const isOver = login.expiresAt !== undefined && login.expiresAt <= this.#context.now();
    return isOver || login.accessToken === this.#refused ? undefined : login;
  }

  async #ask({ refreshToken, scope }: StoredLogin): Promise<RefreshedTokens> {
    const { clientId, command } = LOGIN_FORMS[this.#place.program];
    if (refreshToken === undefined)
      throw this.#unusable(`it has ended and cannot be refreshed: log in again with \`${command}\``);
    const body = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: clientId, scope };
    const { status, text } = await this.#post(JSON.stringify(body));
    if (status === 400 || status === 401 || status === 403)
      throw this.#unusable(`it was not refreshed (${status}): log in again with \`${command}\``);
    const tokens = status === 200 ? tokensOf(text) : undefined;
    if (tokens === undefined) throw this.#unusable(`it was not refreshed (${status}): try again later`);
    this.#context.learn?.(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.#context.learn?.(tokens.refresh_token);
    return tokens;
  }

  async #post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { tokenUrl } = this.#place;
    const connect = { timeout: LIMITS.loginRefreshMs };
    const agent: Dispatcher = throughProxies(this.#context.networkProxies ?? {}, { connect }) ?? new Agent({ connect });
    const { signal, release } = firstAbort(this.#context.signal, AbortSignal.timeout(LIMITS.loginRefreshMs));
    try {
      const headers = { "content-type": "application/json", accept: "application/json", "user-agent": "sallyport" };
      const answer = await request(tokenUrl, { dispatcher: agent, method: "POST", headers, body, signal });
      return { status: answer.statusCode, text: await bounded(answer.body) };
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      const reason = typeof code === "string" ? code : `no answer in ${LIMITS.loginRefreshMs / 1_000} s`;
      throw this.#unusable(`${new URL(tokenUrl).host} does not refresh it (${reason}): check the network`);
    } finally {
      release();
      await agent.destroy();
    }
  }

  /** The new tokens, in memory and in the file. */
  #keep({ login, file, mode }: ReadLogin, tokens: RefreshedTokens): StoredLogin {
    const form = LOGIN_FORMS[this.#place.program];
    this.#checked = Number.NEGATIVE_INFINITY;
    const current = this.#newest();
    // The vendor's program may have refreshed it at the same time: then the file has the newer login.
    if (!(current instanceof Failure) && current.login.refreshToken !== login.refreshToken) return current.login;
    const fresh = form.write(file, tokens, this.#context.now());
    const kept = form.read(fresh) ?? login;
    this.#known = { stamp: this.#write(fresh, mode), read: { login: kept, file: fresh, mode } };
    return kept;
  }

  /** The state of the file afterwards. If it cannot be written, the login lasts until the server ends. */
  #write(file: unknown, mode: number): string | undefined {
    try {
      const path = realpathSync(this.#place.path);
      replaceFile(path, `${JSON.stringify(file, null, 2)}\n`, mode);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#context.log?.warn({ problem: code ?? "?" }, "a refreshed login could not be written back");
    }
    return stampOf(this.#place.path);
  }
}

/** Whole or not at all, with the mode that it had. */
function replaceFile(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = openSync(draft, "wx", mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function tokensOf(text: string): RefreshedTokens | undefined {
  try {
    return RefreshedTokens.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function bounded(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LIMITS.loginFileBytes) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
