import { Agent, request, type Dispatcher } from "undici";
import { z } from "zod";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { throughProxies, type NetworkProxies } from "../network-proxies.ts";
import type { Credential, Provider, ProviderHealth } from "../providers.ts";
import { WIRES, type Wire } from "../proxy.ts";

const ANTHROPIC_VERSION = "2023-06-01";
const MODELS_PATH = "/v1/models";
const Models = z.object({ data: z.array(z.object({ id: z.string().max(500) })) });
/** Ollama's own list, for versions and gateways without the standard one. */
const OLLAMA_PATH = "/api/tags";
const OllamaModels = z.object({ models: z.array(z.object({ name: z.string().max(500) })) });

interface ProbeAnswer {
  readonly status: number;
  readonly models: readonly string[] | undefined;
  readonly retryAfterMs: number | undefined;
}

interface HealthProbe {
  readonly agent: Dispatcher;
  readonly origin: string;
  readonly path: string;
  readonly wire: Wire;
  readonly credential: Credential | undefined;
  readonly signal: AbortSignal;
}

export interface HealthOptions {
  readonly provider: Provider;
  /** Requested with each key if the list of models is public. */
  readonly keyPath?: string | undefined;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly networkProxies: NetworkProxies;
}

/** Asks a provider for its models, with each of its keys. Repeats nothing from its answer except statuses and model names. */
export async function checkHealth({
  provider,
  keyPath,
  now,
  signal,
  networkProxies,
}: HealthOptions): Promise<ProviderHealth> {
  const wires = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
  const verdict = (status: ProviderHealth["status"], message: string, more: Partial<ProviderHealth> = {}) =>
    ({ id: provider.id, status, message, wires, ...more }) satisfies ProviderHealth;
  const [wire] = wires;
  const base = wire === undefined ? undefined : provider.baseUrl[wire];
  if (wire === undefined || base === undefined)
    return verdict("unreachable", `${provider.id} runs beside the server; start it with \`sallyport serve\``);
  const { origin, prefix, socketPath } = placeOf(base);
  const connect = { timeout: LIMITS.providerTestMs };
  const agent =
    socketPath === undefined
      ? (throughProxies(networkProxies, { connect }) ?? new Agent({ connect }))
      : new Agent({ connect: { ...connect, socketPath } });
  try {
    const keys = await provider.credentials();
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.providerTestMs)]);
    const started = now();
    const ask = (path: string, credential?: Credential): Promise<ProbeAnswer> =>
      put({ agent, origin, path: prefix + path, wire, credential, signal: bounded });
    const lists = await Promise.all(keys.length === 0 ? [listOf(ask)] : keys.map((key) => ask(MODELS_PATH, key)));
    const latency_ms = Math.max(0, Math.round(now() - started));
    const list = lists.find(({ status }) => status === 200) ?? lists[0];
    if (list === undefined) return verdict("failed", "it has no key to ask with");
    const answers = keyPath === undefined ? lists : await Promise.all(keys.map((key) => ask(keyPath, key)));
    const tried = keys.flatMap((key, index): readonly TriedProbe[] => {
      const answer = answers[index];
      if (answer === undefined) return [];
      provider.report(key, answer);
      return [{ key, status: answer.status }];
    });
    const known = list.models === undefined ? { latency_ms } : { latency_ms, models: list.models };
    const { status, message } = judge(list, tried, base);
    return verdict(status, message, known);
  } catch (error) {
    if (error instanceof Failure) return verdict("unauthenticated", error.message);
    return verdict("unreachable", `${base} does not answer (${reasonOf(error)}): check base_url and that it runs`);
  } finally {
    await agent.destroy();
  }
}

/** Without a key: the standard path, then Ollama's. */
async function listOf(ask: (path: string) => Promise<ProbeAnswer>): Promise<ProbeAnswer> {
  const list = await ask(MODELS_PATH);
  if (list.status !== 404) return list;
  const tags = await ask(OLLAMA_PATH);
  return tags.status === 200 && tags.models !== undefined ? tags : list;
}

type HealthJudgement = Pick<ProviderHealth, "status" | "message">;

interface TriedProbe {
  readonly key: Credential;
  readonly status: number;
}

function judge(list: ProbeAnswer, answers: readonly TriedProbe[], base: string): HealthJudgement {
  const refused = answers.filter(({ status }) => status === 401 || status === 403);
  const names = refused.map(({ key, status }) => `${key.name} (${status})`).join(", ");
  if (refused.length > 0 && refused.length === answers.length)
    return { status: "unauthenticated", message: `it refused ${names}: set another key` };
  if (list.status === 401 || list.status === 403)
    return {
      status: "unauthenticated",
      message: `it wants a key (${list.status}): set one with credential_env, credential_file or credential_command`,
    };
  if (list.status === 429 || list.status === 529)
    return { status: "failed", message: `it answers, but has no room now (${list.status}): try again later` };
  if (list.status !== 200)
    return { status: "failed", message: `${base}/v1/models answered ${list.status}: check base_url` };
  if (list.models === undefined)
    return { status: "failed", message: `${base}/v1/models is no list of models: check base_url and wire` };
  const found = `it answers and has ${list.models.length} ${list.models.length === 1 ? "model" : "models"}`;
  return {
    status: "ok",
    message:
      refused.length === 0
        ? found
        : `${found}; ${answers.length - refused.length} of ${answers.length} keys work, it refused ${names}`,
  };
}

async function put({ agent, origin, path, wire, credential, signal }: HealthProbe): Promise<ProbeAnswer> {
  const { statusCode, headers, body } = await request(`${origin}${path}`, {
    dispatcher: agent,
    method: "GET",
    headers: {
      accept: "application/json",
      "user-agent": "sallyport",
      ...(wire === "anthropic" ? { "anthropic-version": ANTHROPIC_VERSION } : {}),
      ...credential?.headers(wire),
    },
    headersTimeout: LIMITS.providerTestMs,
    bodyTimeout: LIMITS.providerTestMs,
    signal,
  });
  const seconds = Number(headers["retry-after"]);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
  const models = statusCode === 200 ? modelsOf(await textOf(body)) : undefined;
  if (statusCode !== 200) await body.dump({ limit: LIMITS.modelErrorBytes }).catch(() => undefined);
  return { status: statusCode, models, retryAfterMs };
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

/** Undefined: it is something else. */
function modelsOf(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const usual = Models.safeParse(value);
    const names = usual.success
      ? usual.data.data.map(({ id }) => id)
      : OllamaModels.safeParse(value).data?.models.map(({ name }) => name);
    return names?.slice(0, LIMITS.providerModels);
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
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `no answer in ${LIMITS.providerTestMs / 1_000} s`;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? "no answer";
}
