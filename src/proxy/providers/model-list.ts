import { z } from "zod";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { NetworkProxies } from "../http/network-proxies.ts";
import type { TunnelTransport } from "../state.ts";
import type { Credential, ListedModel, Provider, ProviderModels } from "../providers.ts";
import { MODELS_PATH, OLLAMA_PATH, readModels } from "./listed-models.ts";
import { openProbe, reasonOf, type ProviderProbe, type ProbeAnswer } from "./probe.ts";

interface ModelListOptions {
  readonly provider: Provider;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly networkProxies: NetworkProxies;
  readonly transport?: TunnelTransport | undefined;
}

/** Asks a provider which models it has, and a local one how long their windows are. Never rejects. */
export async function fetchModels({
  provider,
  signal,
  networkProxies,
  transport,
}: ModelListOptions): Promise<ProviderModels> {
  const probe = openProbe(provider, { signal, networkProxies, transport });
  if (probe === undefined) return { models: [], failure: `${provider.id} does not run here` };
  try {
    const [credential] = await provider.credentials();
    const models = await listed(probe, credential);
    if (typeof models === "string") return { models: [], failure: models };
    return { models: provider.isLocal ? await withWindows(probe, { models, credential }) : models };
  } catch (error) {
    if (error instanceof Failure) return { models: [], failure: error.message };
    return { models: [], failure: `it does not answer (${reasonOf(error)})` };
  } finally {
    await probe.close();
  }
}

const Page = z.object({ has_more: z.literal(true), last_id: z.string().max(500) });

/** All pages; a text says why there is no list. */
async function listed(
  probe: ProviderProbe,
  credential: Credential | undefined,
): Promise<readonly ListedModel[] | string> {
  const found: ListedModel[] = [];
  let path = MODELS_PATH;
  for (let page = 0; page < LIMITS.modelListPages && found.length < LIMITS.providerModels; page += 1) {
    const answer = await probe.ask({ path, credential });
    const models = readModels(answer.value);
    if (models === undefined) {
      if (page > 0) break;
      return answer.status === 404 ? fromOllama(probe, credential) : noList(answer);
    }
    found.push(...models);
    const next = Page.safeParse(answer.value).data;
    if (next === undefined) break;
    path = `${MODELS_PATH}?after_id=${encodeURIComponent(next.last_id)}`;
  }
  return found.slice(0, LIMITS.providerModels);
}

async function fromOllama(
  probe: ProviderProbe,
  credential: Credential | undefined,
): Promise<readonly ListedModel[] | string> {
  const answer = await probe.ask({ path: OLLAMA_PATH, credential });
  return readModels(answer.value) ?? noList(answer);
}

function noList({ status }: ProbeAnswer): string {
  if (status === 401 || status === 403) return `it refused the key (${status})`;
  return status === 200 ? "its list of models cannot be read" : `it answered ${status} when asked for its models`;
}

interface KnownModels {
  readonly models: readonly ListedModel[];
  readonly credential: Credential | undefined;
}

/**
 * The windows that a server of open models really uses: they are settings of the server, not of the model. llama.cpp and LM Studio tell them
 * on pages of their own, Ollama for models that are loaded or that have a setting.
 */
async function withWindows(probe: ProviderProbe, { models, credential }: KnownModels): Promise<readonly ListedModel[]> {
  if (models.every(({ contextTokens }) => contextTokens !== undefined)) return models;
  const read = (path: string, body?: object): Promise<unknown> =>
    probe.ask({ path, credential, body }).then(
      ({ value }) => value,
      () => undefined,
    );
  const [props, studio, loaded] = await Promise.all([read("/props"), read("/api/v0/models"), read("/api/ps")]);
  const ofServer = LlamaProps.safeParse(props).data?.default_generation_settings.n_ctx;
  const ofStudio = readModels(studio) ?? [];
  const running = OllamaLoaded.safeParse(loaded).data;
  const ofOllama = running === undefined ? new Map<string, number>() : await ollamaWindows({ models, running, read });
  return models.map((model) => {
    const window =
      model.contextTokens ??
      ofStudio.find(({ id }) => id === model.id)?.contextTokens ??
      ofOllama.get(model.id) ??
      ofServer;
    return window === undefined ? model : Object.assign({ contextTokens: window }, model);
  });
}

const size = z.number().int().positive();
const LlamaProps = z.object({ default_generation_settings: z.object({ n_ctx: size }) });
const OllamaLoaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: size.optional().catch(undefined) })),
});
/** Lines such as `num_ctx    32768`. */
const OllamaShown = z.object({ parameters: z.string() });
const NUM_CTX = /^\s*num_ctx\s+(\d{1,9})\s*$/m;

interface OllamaQuestion {
  readonly models: readonly ListedModel[];
  readonly running: z.infer<typeof OllamaLoaded>;
  readonly read: (path: string, body?: object) => Promise<unknown>;
}

async function ollamaWindows({ models, running, read }: OllamaQuestion): Promise<ReadonlyMap<string, number>> {
  const shown = await Promise.all(
    models.slice(0, LIMITS.modelWindowsAsked).map(async ({ id }): Promise<readonly [string, number | undefined]> => {
      const active = running.models.find(({ name }) => name === id)?.context_length;
      if (active !== undefined) return [id, active];
      const parameters = OllamaShown.safeParse(await read("/api/show", { model: id })).data?.parameters ?? "";
      const set = NUM_CTX.exec(parameters)?.[1];
      return [id, set === undefined ? undefined : Number(set)];
    }),
  );
  return new Map(shown.flatMap(([id, window]) => (window === undefined ? [] : [[id, window] as const])));
}
