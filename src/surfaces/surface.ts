import type { HttpBindings } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { BridgeProvider, Log, MountSettings, ThreadMapping } from "../protocol/index.ts";
import type { AnsweredRequest } from "./request-count.ts";
import type { Caller, Clock, Gateway } from "../sessions/index.ts";
import type { WriteAccessLine } from "./request-log.ts";

/** The machine's clocks. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** What every surface is built from. */
export interface SurfaceOptions {
  readonly gateway: Gateway;
  readonly log: Log;
  /** This server's version, for the handshake. */
  readonly version: string;
  /** `host:port` values of the Host header that are ours; anything else is refused (DNS rebinding). */
  readonly allowedHosts: () => readonly string[];
  /** Origins of this server's pages under another name, such as behind a proxy. Absent: none. */
  readonly ownOrigins?: (() => readonly string[]) | undefined;
  /** Origins of other sites whose pages may use any token. Absent: only those that tokens name, with these tokens. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Requests and socket messages that one token may send a minute. */
  readonly requestsPerMinute: number;
  /** The clock for minutes. Absent: the machine's. */
  readonly clock?: Clock | undefined;
  /** The folder of the built pages; absent: they are not served. */
  readonly web?: string | undefined;
  /** Facts for `/health`, such as whether the demo model answers. */
  readonly describe: () => {
    readonly demo: boolean;
    readonly default_provider: string;
    readonly default_workspace: string;
  };
  /** All metrics in Prometheus format; absent: not counted. */
  readonly metrics?: (() => Promise<string>) | undefined;
  /** Connections that may be open at once; absent: LIMITS.socketsOpen. */
  readonly connections?: number | undefined;
  /** Called for each answered request; absent: they are not counted. */
  readonly onRequest?: ((request: AnsweredRequest) => void) | undefined;
  /** Takes the lines of the access log; absent: none are written. */
  readonly accessLog?: WriteAccessLine | undefined;
  /** Document 000's surface; absent: the defaults. */
  readonly runtime?: RuntimeOptions | undefined;
  /** Document 002's socket; absent: the defaults. */
  readonly bridge?: BridgeOptions | undefined;
  /** Document 003's files; absent: `/claude` with the defaults, and nothing is remembered beyond this process. */
  readonly mount?: MountSurfaceOptions | undefined;
}

interface MountSurfaceOptions {
  /** By path, as sallyport.yaml says it. */
  readonly settings?: MountSettings | undefined;
  /** Stores what readers were shown of unfinished messages. Created when needed. */
  readonly folder: string;
  /** Milliseconds since the epoch. Absent: the machine's clock. */
  readonly now?: (() => number) | undefined;
}

interface RuntimeOptions {
  /** How long a page has for one tool call, ms. Absent: LIMITS.pageToolMs. */
  readonly toolMs?: number | undefined;
  /** Of new conversations. Absent: the server's own default. */
  readonly engine?: string | undefined;
  /** Of new conversations. Absent: `server`. */
  readonly profile?: string | undefined;
  /** Whether parts of the workspace's files are put beside messages that they fit. Absent: yes. */
  readonly repositoryContext?: boolean | undefined;
}

interface BridgeOptions {
  /** Of new runs. Absent: the policy's default. */
  readonly profile?: string | undefined;
  /** Of sockets that select none. Absent: the first that can be used. */
  readonly provider?: BridgeProvider | undefined;
  /** Of sockets that select none. Absent: `compat`. */
  readonly mapping?: ThreadMapping | undefined;
  /** Whether runs without `cwd` begin in the root of the repository. Absent: they do. */
  readonly repositoryRoot?: boolean | undefined;
}

interface Variables {
  readonly caller: Caller;
}

export type HttpEnvironment = { readonly Bindings: HttpBindings; readonly Variables: Variables };
export type HttpApp = OpenAPIHono<HttpEnvironment>;
