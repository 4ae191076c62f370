import { join } from "node:path";
import {
  KIND_LOGINS,
  PROVIDER_KINDS,
  ProviderKind,
  SHIPPED_PROVIDERS,
  type KindDefaults,
  type CredentialSetting,
  type LoginProgram,
  type OpenAiApi,
  type ProviderAuth,
  type ProviderSetting,
  type ProviderSettings,
  type RateLimit,
  TUNNEL_PREFIX,
  type TunnelModels,
} from "../../protocol/index.ts";
import { WIRES, type Wire } from "../proxy.ts";
import { LOGIN_FORMS } from "./login-files.ts";

export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

/** Where keys come from. `auth` absent: the key's format decides. */
export type SourceSetting = { readonly auth?: ProviderAuth | undefined } & (
  | { readonly from: "environment"; readonly variable: string }
  /** Absolute. */
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "command"; readonly command: string | readonly string[] }
  | { readonly from: "login"; readonly program: LoginProgram; readonly path: string; readonly tokenUrl: string }
);

/** One provider with everything that applies to it. Plain data: equal values mean the same provider. */
export interface ResolvedProvider {
  readonly id: string;
  readonly baseUrl: Readonly<Partial<Record<Wire, string>>>;
  readonly openaiApi: OpenAiApi;
  /** A glob of the models that are asked on `anthropic`, where both wires are spoken. Absent: all. */
  readonly anthropicModels?: string | undefined;
  /** Empty: requests carry no credential. */
  readonly sources: readonly SourceSetting[];
  /** Bearer tokens are Anthropic's OAuth tokens. */
  readonly oauth: boolean;
  readonly isLocal: boolean;
  readonly free: boolean;
  readonly defaultModel: string;
  readonly rate: RateLimit;
  readonly keyPath?: string | undefined;
  /** Whose login it uses; absent: it has keys. */
  readonly login?: LoginProgram | undefined;
}

/** A provider behind a tunnel, as far as its other side has told. */
export interface TunnelPlace {
  /** Of the endpoint. */
  readonly id: string;
  readonly rate?: RateLimit | undefined;
  /** Absent: it has not been connected yet. */
  readonly told?: Pick<TunnelModels, "default_model" | "free" | "wires" | "openai_api"> | undefined;
}

const SIM = "sim";
const ANTHROPIC_HOST = "api.anthropic.com";
/** Where ChatGPT's logins are served, without `/v1` in its paths. */
const CODEX_ADDRESS = "https://chatgpt.com/backend-api/codex";
/** A provider that is like no other: all of it is in its settings. */
const OWN_KIND: KindDefaults = { ...PROVIDER_KINDS.local, free: false };
/** A variable that holds a token for `Authorization: Bearer`, whatever the token looks like. */
const BEARER_VARIABLE = "ANTHROPIC_AUTH_TOKEN";
/** Moves the provider `cloud`; wins over the settings file. */
const CLOUD_ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL";

/** All available provider ids: built-in ones, then those of the settings. `local` exists once it is set. */
export function providerIds(settings: ProviderSettings): readonly string[] {
  const [first = "", ...others] = SHIPPED_PROVIDERS;
  return [...new Set([first, SIM, ...others, ...Object.keys(settings)])];
}

/** Whether a credential for `cloud` exists. Files and commands count without being read. */
export function hasCloudCredential(settings: ProviderSettings, environment: ProviderEnvironment): boolean {
  const setting = settings["cloud"] ?? {};
  if (setting.credentials === "own_login") return true;
  return sourcesOf(setting, PROVIDER_KINDS.cloud).some(
    (source) => source.from !== "environment" || (environment[source.variable] ?? "").trim() !== "",
  );
}

interface ResolveContext {
  readonly environment: ProviderEnvironment;
  /** The demo model's address; absent: it does not run here. */
  readonly simUrl?: string | undefined;
  /** Absent: there are none. */
  readonly tunnels?: readonly TunnelPlace[] | undefined;
}

export function resolveProviders(settings: ProviderSettings, around: ResolveContext): readonly ResolvedProvider[] {
  const own = providerIds(settings).map((id) => {
    const setting = settings[id] ?? {};
    return id === SIM ? resolveSim(setting, around.simUrl) : resolveOne(id, setting, around.environment);
  });
  return [...own, ...(around.tunnels ?? []).map(resolveTunnel)];
}

/** Its key stays at the other side. */
function resolveTunnel({ id: name, rate = {}, told }: TunnelPlace): ResolvedProvider {
  const id = TUNNEL_PREFIX + name;
  const wires = told?.wires ?? WIRES;
  return {
    id,
    baseUrl: Object.fromEntries(wires.map((wire) => [wire, id])),
    openaiApi: told?.openai_api ?? "chat",
    sources: [],
    oauth: false,
    isLocal: false,
    free: told?.free ?? false,
    defaultModel: told?.default_model ?? "",
    rate,
  };
}

function resolveSim(setting: ProviderSetting, url: string | undefined): ResolvedProvider {
  return {
    id: SIM,
    baseUrl: url === undefined ? {} : Object.fromEntries(WIRES.map((wire) => [wire, addressOf(url)])),
    openaiApi: "responses",
    sources: [],
    oauth: false,
    isLocal: false,
    free: setting.free ?? true,
    defaultModel: setting.default_model ?? "sim",
    rate: rateOf(setting),
  };
}

function resolveOne(id: string, setting: ProviderSetting, environment: ProviderEnvironment): ResolvedProvider {
  const kind = setting.kind ?? ProviderKind.safeParse(id).data;
  const defaults: KindDefaults = kind === undefined ? OWN_KIND : PROVIDER_KINDS[kind];
  const moved = id === "cloud" ? (environment[CLOUD_ADDRESS_VARIABLE] ?? "").trim() : "";
  const login = setting.credentials === "own_login" && kind !== undefined ? KIND_LOGINS[kind] : undefined;
  const baseUrl = addressesOf(setting, login === "codex" ? { ...defaults, baseUrl: CODEX_ADDRESS } : defaults, moved);
  return {
    id,
    baseUrl,
    openaiApi: setting.openai_api ?? defaults.openaiApi,
    anthropicModels: defaults.anthropicModels,
    sources: login === undefined ? sourcesOf(setting, defaults) : [loginSource(login, setting, environment)],
    oauth: kind === "cloud" && (login !== undefined || hostOf(baseUrl.anthropic) === ANTHROPIC_HOST),
    isLocal: kind === "local",
    free: setting.free ?? defaults.free,
    defaultModel: setting.default_model ?? defaults.defaultModel,
    rate: rateOf(setting),
    keyPath: defaults.keyPath,
    ...(login === undefined ? {} : { login }),
  };
}

/** Where the vendor's program keeps its login, unless the settings name another file. */
function loginSource(
  program: LoginProgram,
  { login }: ProviderSetting,
  environment: ProviderEnvironment,
): SourceSetting {
  const form = LOGIN_FORMS[program];
  const folder = environment[form.folderVariable] || join(environment["HOME"] ?? "/", form.folder);
  return {
    from: "login",
    program,
    path: login?.file ?? join(folder, form.file),
    tokenUrl: login?.token_url ?? form.tokenUrl,
    auth: "bearer",
  };
}

function addressesOf(setting: ProviderSetting, defaults: KindDefaults, moved: string): ResolvedProvider["baseUrl"] {
  const wires = setting.wire === undefined ? (setting.wires ?? defaults.wires) : [setting.wire];
  const one = moved === "" ? (setting.base_url ?? defaults.baseUrl) : moved;
  const named = moved === "" ? setting.base_urls : undefined;
  const pairs = WIRES.flatMap((wire): readonly [Wire, string][] => {
    const url = named === undefined ? (wires.includes(wire) ? one : undefined) : named[wire];
    return url === undefined ? [] : [[wire, addressOf(url)]];
  });
  return Object.fromEntries(pairs);
}

/** Vendors write their address with and without `/v1`; our paths begin with it. */
function addressOf(url: string): string {
  return url.startsWith("unix:") ? url : url.replace(/\/+$/, "").replace(/\/v1$/, "").replace(/\/+$/, "");
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}

function sourcesOf(setting: ProviderSetting, defaults: KindDefaults): readonly SourceSetting[] {
  if (setting.auth === "none") return [];
  const auth = setting.auth ?? defaults.auth;
  const set =
    setting.credentials === undefined || setting.credentials === "own_login" ? [setting] : setting.credentials;
  const given = set.flatMap((one) => sourceOf(one, auth));
  return given.length > 0 ? given : defaults.variables.map((variable) => fromVariable(variable, auth));
}

export function sourceOf(setting: CredentialSetting, auth: ProviderAuth | undefined): readonly SourceSetting[] {
  if (setting.credential_env !== undefined) return [fromVariable(setting.credential_env, auth)];
  if (setting.credential_file !== undefined) return [{ from: "file", path: setting.credential_file, auth }];
  if (setting.credential_command !== undefined) return [{ from: "command", command: setting.credential_command, auth }];
  return [];
}

function fromVariable(variable: string, auth: ProviderAuth | undefined): SourceSetting {
  return { from: "environment", variable, auth: auth ?? (variable === BEARER_VARIABLE ? "bearer" : undefined) };
}

function rateOf({ requests_per_minute, tokens_per_minute }: ProviderSetting): RateLimit {
  return {
    ...(requests_per_minute === undefined ? {} : { requests_per_minute }),
    ...(tokens_per_minute === undefined ? {} : { tokens_per_minute }),
  };
}
