import { Agent, request, type Dispatcher } from "undici";
import { firstAbort, isTunnelProvider, LIMITS, TUNNEL_PREFIX } from "../../protocol/index.ts";
import { throughProxies, type NetworkProxies } from "../http/network-proxies.ts";
import type { TunnelTransport } from "../state.ts";
import type { Credential, Provider } from "../providers.ts";
import { WIRES, type Wire } from "../proxy.ts";

const ANTHROPIC_VERSION = "2023-06-01";

/** What a provider answered to a question about itself. */
export interface ProbeAnswer {
  readonly status: number;
  /** Parsed JSON. Undefined: it was no success, no JSON or too long. */
  readonly value: unknown;
  readonly retryAfterMs: number | undefined;
}

interface ProbeQuestion {
  /** Below the provider's address; begins with a slash. */
  readonly path: string;
  readonly credential?: Credential | undefined;
  /** Sent as JSON by POST. Absent: GET. */
  readonly body?: object | undefined;
}

/** Free questions to a provider about itself, bounded together in time and each in size. */
export interface ProviderProbe {
  readonly base: string;
  /** Rejects where there is no answer. */
  ask(question: ProbeQuestion): Promise<ProbeAnswer>;
  close(): Promise<void>;
}

interface ProbeContext {
  readonly signal: AbortSignal;
  readonly networkProxies: NetworkProxies;
  /** Absent: there are no tunnels. */
  readonly transport?: TunnelTransport | undefined;
}

/** Undefined: it has no address here. `signal`: aborted when the server stops. */
export function openProbe(
  provider: Provider,
  { signal, networkProxies, transport }: ProbeContext,
): ProviderProbe | undefined {
  const wire = WIRES.find((one) => provider.baseUrl[one] !== undefined);
  const base = wire === undefined ? undefined : provider.baseUrl[wire];
  if (wire === undefined || base === undefined) return undefined;
  const { signal: bounded, release } = firstAbort(signal, AbortSignal.timeout(LIMITS.providerTestMs));
  if (isTunnelProvider(base)) {
    const agent = transport?.dispatcher(base.slice(TUNNEL_PREFIX.length));
    if (agent === undefined) {
      release();
      return undefined;
    }
    return {
      base,
      ask: ({ path, credential, body }) =>
        put({ agent, url: `http://tunnel${path}`, wire, credential, body, signal: bounded }),
      // The tunnel stays: others use it too.
      close: () => Promise.resolve(release()),
    };
  }
  const { origin, prefix, socketPath } = placeOf(base);
  const connect = { timeout: LIMITS.providerTestMs };
  const agent =
    socketPath === undefined
      ? (throughProxies(networkProxies, { connect }) ?? new Agent({ connect }))
      : new Agent({ connect: { ...connect, socketPath } });
  return {
    base,
    ask: ({ path, credential, body }) =>
      put({ agent, url: `${origin}${prefix}${path}`, wire, credential, body, signal: bounded }),
    close: () => {
      release();
      return agent.destroy();
    },
  };
}

interface ProbeRequest extends Omit<ProbeQuestion, "path"> {
  readonly agent: Dispatcher;
  readonly url: string;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

async function put({ agent, url, wire, credential, body, signal }: ProbeRequest): Promise<ProbeAnswer> {
  const answer = await request(url, {
    dispatcher: agent,
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      "user-agent": "sallyport",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(wire === "anthropic" ? { "anthropic-version": ANTHROPIC_VERSION } : {}),
      ...credential?.headers(wire),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headersTimeout: LIMITS.providerTestMs,
    bodyTimeout: LIMITS.providerTestMs,
    signal,
  });
  const status = answer.statusCode;
  const seconds = Number(answer.headers["retry-after"]);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
  const value = status === 200 ? parsed(await textOf(answer.body)) : undefined;
  if (status !== 200) await answer.body.dump({ limit: LIMITS.modelErrorBytes }).catch(() => undefined);
  return { status, value, retryAfterMs };
}

async function textOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LIMITS.providerTestBytes) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ProviderPlace {
  readonly origin: string;
  readonly prefix: string;
  readonly socketPath?: string;
}

function placeOf(base: string): ProviderPlace {
  if (base.startsWith("unix:"))
    return { origin: "http://localhost", prefix: "", socketPath: base.slice("unix:".length) };
  const url = new URL(base);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/** A code such as ECONNREFUSED: network messages repeat addresses and sometimes headers. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `no answer in ${LIMITS.providerTestMs / 1_000} s`;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? "no answer";
}
