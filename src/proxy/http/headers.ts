import { HOP_HEADERS } from "../../protocol/index.ts";
import type { Credential } from "../providers.ts";
import type { Wire } from "../proxy.ts";

const NOT_SENT = new Set([
  ...HOP_HEADERS,
  "host",
  "content-length",
  "expect",
  // The proxy must read the usage in the answer.
  "accept-encoding",
  // The caller's key is valid only here, and the caller has no other.
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "authorization",
  "cookie",
  "cookie2",
  // The provider must not learn where the caller is.
  "origin",
  "referer",
  "via",
  "forwarded",
  "x-real-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "x-client-ip",
]);
const NOT_RETURNED = new Set([
  ...HOP_HEADERS,
  "set-cookie",
  "set-cookie2",
  "authorization",
  "www-authenticate",
  "authentication-info",
  "proxy-authentication-info",
  "x-api-key",
  "api-key",
  // The caller must not bypass the proxy.
  "alt-svc",
]);
const OURS = "x-sallyport-";

/** List headers: the credential's values are added to the caller's. */
const JOINED = "anthropic-beta";

/** What goes to the provider: the caller's headers, unchanged and in order, and the credential's. */
export function forwardedHeaders(
  raw: readonly string[],
  options: {
    /** The caller's `Connection` header, which may name more headers to drop. */
    readonly connection: string | undefined;
    readonly credential: Readonly<Record<string, string>>;
  },
): string[] {
  const { connection, credential } = options;
  const named = connection === undefined || connection === "keep-alive" || connection === "close" ? "" : connection;
  const alsoDropped = named === "" ? undefined : new Set(named.toLowerCase().split(/[\s,]+/));
  const headers = ["accept-encoding", "identity"];
  const lists: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    if (NOT_SENT.has(name) || alsoDropped?.has(name) === true) continue;
    if (name.startsWith(OURS) || name.startsWith("x-forwarded-")) continue;
    if (credential[name] === undefined) headers.push(name, value);
    else if (name === JOINED) lists.push(value);
  }
  for (const [name, value] of Object.entries(credential)) {
    headers.push(name, name === JOINED ? joined([...lists, value]) : value);
  }
  return headers;
}

function joined(lists: readonly string[]): string {
  return [...new Set(lists.flatMap((list) => list.split(",").map((word) => word.trim())))].join(",");
}

/** What goes back to the caller: all except connection headers and any that could carry a credential. */
export function returnedHeaders(raw: readonly Buffer[], secrets: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toString("latin1").toLowerCase() ?? "";
    if (NOT_RETURNED.has(name) || name.startsWith(OURS)) continue;
    const value = raw[index + 1]?.toString("latin1") ?? "";
    if (!holdsSecret(value, secrets)) headers.push(name, value);
  }
  return headers;
}

/** The first value of a header in such a list; undefined: none. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) if (headers[index] === name) return headers[index + 1];
  return undefined;
}

/** The same list without one header. */
export function withoutHeader(headers: readonly string[], name: string): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)] !== name);
}

const SHORTEST_SECRET = 8;
const NO_SECRETS: readonly string[] = [];

/** What must not go back: the values of a credential's headers, without words like `Bearer`. */
export function secretsOf(credential: Credential | undefined, wire: Wire): readonly string[] {
  if (credential === undefined) return NO_SECRETS;
  const headers = credential.headers(wire);
  const secrets: string[] = [];
  for (const name in headers) {
    const value = headers[name] ?? "";
    const secret = value.slice(value.lastIndexOf(" ") + 1);
    if (name !== JOINED && secret.length >= SHORTEST_SECRET) secrets.push(secret);
  }
  return secrets;
}

function holdsSecret(text: string, secrets: readonly string[]): boolean {
  for (const secret of secrets) if (text.includes(secret)) return true;
  return false;
}
