import { Failure } from "../../protocol/index.ts";
import type { NetworkProxies } from "../http/network-proxies.ts";
import type { TunnelTransport } from "../state.ts";
import type { Credential, Provider, ProviderHealth } from "../providers.ts";
import { WIRES } from "../proxy.ts";
import { MODELS_PATH, OLLAMA_PATH, readModels } from "./listed-models.ts";
import { openProbe, reasonOf, type ProbeAnswer } from "./probe.ts";

export interface HealthOptions {
  readonly provider: Provider;
  /** Requested with each key if the list of models is public. */
  readonly keyPath?: string | undefined;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly networkProxies: NetworkProxies;
  readonly transport?: TunnelTransport | undefined;
}

interface ListAnswer extends ProbeAnswer {
  /** Undefined: it is something else. */
  readonly models: readonly string[] | undefined;
}

/** Asks a provider for its models, with each of its keys. Repeats nothing from its answer except statuses and model names. */
export async function checkHealth({
  provider,
  keyPath,
  now,
  signal,
  networkProxies,
  transport,
}: HealthOptions): Promise<ProviderHealth> {
  const wires = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
  const verdict = (status: ProviderHealth["status"], message: string, more: Partial<ProviderHealth> = {}) =>
    ({ id: provider.id, status, message, wires, ...more }) satisfies ProviderHealth;
  const probe = openProbe(provider, { signal, networkProxies, transport });
  if (probe === undefined)
    return verdict("unreachable", `${provider.id} runs beside the server; start it with \`sallyport serve\``);
  const { base } = probe;
  try {
    const keys = await provider.credentials();
    const started = now();
    const ask = async (path: string, credential?: Credential): Promise<ListAnswer> => {
      const answer = await probe.ask({ path, credential });
      return { ...answer, models: readModels(answer.value)?.map(({ id }) => id) };
    };
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
    await probe.close();
  }
}

/** Without a key: the standard path, then Ollama's. */
async function listOf(ask: (path: string) => Promise<ListAnswer>): Promise<ListAnswer> {
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

function judge(list: ListAnswer, answers: readonly TriedProbe[], base: string): HealthJudgement {
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
