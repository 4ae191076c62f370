import { isIP } from "node:net";
import type { ClientConfig } from "pg";
import { LIMITS } from "../../protocol/index.ts";

export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false | { readonly rejectUnauthorized: boolean };
}

const PORT = 5432;

/** Parses an address that `postgresUrlProblem` accepted. */
export function addressOf(text: string): DatabaseAddress {
  const url = new URL(text);
  const folder = url.searchParams.get("host");
  const name = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, "");
  return {
    host: folder ?? name,
    port: url.port === "" ? PORT : Number(url.port),
    user: decodeURIComponent(url.username),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: folder === null ? sslOf(url.searchParams.get("sslmode"), name) : false,
  };
}

/** By default, connections that leave this machine are encrypted and verified. */
function sslOf(mode: string | null, host: string): DatabaseAddress["ssl"] {
  if (mode === "require") return { rejectUnauthorized: false };
  if (mode === "verify-full") return { rejectUnauthorized: true };
  return mode === "disable" || isLoopback(host) ? false : { rejectUnauthorized: true };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

export function clientConfig({ ssl, ...address }: DatabaseAddress, password: string | undefined): ClientConfig {
  return {
    ...address,
    ssl: ssl === false ? false : { ...ssl },
    // Always a function: otherwise the driver would read ~/.pgpass by itself.
    password: () => password ?? "",
    application_name: "sallyport",
    client_encoding: "UTF8",
    keepAlive: true,
    connectionTimeoutMillis: LIMITS.connectionOpenMs,
  };
}
