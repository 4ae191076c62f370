/** A token, or a function that gets one. It is called before the first use, and again when the server no longer accepts the last one. */
export type TokenSource = string | (() => string | Promise<string>);

/** The token that is in use. */
export class CurrentToken {
  readonly #source: TokenSource;
  #known: string | undefined;
  #getting: Promise<string> | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
    if (typeof source === "string") this.#known = source;
  }

  /** Undefined: it must be fetched first. */
  get known(): string | undefined {
    return this.#known;
  }

  async get(): Promise<string> {
    return this.#known ?? this.#get();
  }

  /** Gets another one in place of a refused one. False: there is no other. */
  async renew(refused: string): Promise<boolean> {
    if (typeof this.#source === "string") return false;
    // Another caller was refused a moment ago, and has already fetched a new one.
    if (this.#known !== undefined && this.#known !== refused) return true;
    return (await this.#get()) !== refused;
  }

  /** Concurrent callers share one request. */
  #get(): Promise<string> {
    const source = this.#source;
    if (typeof source === "string") return Promise.resolve(source);
    this.#getting ??= Promise.resolve()
      .then(source)
      .then((token) => (this.#known = token))
      .finally(() => {
        this.#getting = undefined;
      });
    return this.#getting;
  }
}

const shared = new WeakMap<object, CurrentToken>();

/** One function, one token: a client and its live connection are the same caller. */
export function currentToken(source: TokenSource): CurrentToken {
  if (typeof source === "string") return new CurrentToken(source);
  const known = shared.get(source) ?? new CurrentToken(source);
  shared.set(source, known);
  return known;
}

/** Sends a request with the token, and again with a new one if that is no longer accepted. */
export async function withToken(
  token: CurrentToken,
  send: (headers: { readonly authorization: string }) => Promise<Response>,
): Promise<Response> {
  const used = await token.get();
  const response = await send({ authorization: `Bearer ${used}` });
  if (response.status !== 401 || !(await token.renew(used))) return response;
  await response.body?.cancel();
  return send({ authorization: `Bearer ${await token.get()}` });
}
