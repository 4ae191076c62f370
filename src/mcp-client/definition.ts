import type { McpServerView, Tier } from "../protocol/index.ts";
import type { ServerLogin } from "./oauth/server-login.ts";

/** A program that speaks on its standard streams. */
interface ProgramDefinition {
  readonly kind: "stdio";
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the sandbox's own environment. May hold secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Told to the server as its root. Absolute. */
  readonly workspace: string;
}

/** A server elsewhere, which this process asks itself. */
interface RemoteDefinition {
  readonly kind: "http" | "sse";
  readonly url: URL;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** `named`: somebody who may named exactly this host, so it may also be on the local network. */
  readonly rule: "matched" | "named";
  /** The login that gives it its token; absent: it has none. */
  readonly login?: ServerLogin | undefined;
}

/** How a server is reached. */
export type ServerWay = ProgramDefinition | RemoteDefinition;

/** An MCP server of a session, with all that it needs. */
export interface ServerDefinition {
  readonly name: string;
  readonly from: McpServerView["from"];
  readonly transport: McpServerView["transport"];
  /** A session request says what it is, not the settings. */
  readonly isOwn: boolean;
  /** Differs when anything of it differs, except for secrets. */
  readonly key: string;
  /** What its tools are to the gate, by the server's own names; one that is not here is `execute`. */
  readonly tiers: Readonly<Record<string, Tier>>;
  readonly callMs: number;
  readonly startMs: number;
  /** How it is reached now. Rejects when a secret cannot be read. */
  readonly way: () => Promise<ServerWay>;
}
