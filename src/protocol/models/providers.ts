import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { ownLogin, type LoginProgram } from "../access/logins.ts";
import { Price, PricedModel } from "./money.ts";
import { RateLimit } from "../access/policy.ts";
import { PROVIDER_KINDS } from "./provider-kinds.ts";

/** The formats that providers speak: Anthropic Messages; OpenAI Responses and Chat Completions. */
export const ProviderWire = z.enum(["anthropic", "openai"]);
export type ProviderWire = z.infer<typeof ProviderWire>;

/** How a model is asked: Anthropic's Messages, OpenAI's Responses or its Chat Completions. */
export const ModelApi = z.enum(["messages", "responses", "chat"]);
export type ModelApi = z.infer<typeof ModelApi>;

/** The APIs of the wire `openai`. */
export const OpenAiApi = ModelApi.extract(["responses", "chat"]);
export type OpenAiApi = z.infer<typeof OpenAiApi>;

/** Whose defaults a provider has. `local` has no address of its own and needs no credential. */
export const ProviderKind = z.enum(Object.keys(PROVIDER_KINDS) as (keyof typeof PROVIDER_KINDS)[]);
export type ProviderKind = z.infer<typeof ProviderKind>;

/** `api_key`: the wire's own header for keys; `bearer`: `Authorization: Bearer`; `none`: no credential is sent. */
export const ProviderAuth = z.enum(["api_key", "bearer", "none"]);
export type ProviderAuth = z.infer<typeof ProviderAuth>;

/** Whose login a kind of provider can use. Absent: nobody's. */
export const KIND_LOGINS: Readonly<Partial<Record<ProviderKind, LoginProgram>>> = { cloud: "claude", openai: "codex" };

const PROVIDER_ID = /^[a-z][a-z0-9_-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;

/** Absent: it is valid. Never repeats the text: it may contain a password. */
function addressProblem(text: string): string | undefined {
  if (text.startsWith("unix:")) return text.startsWith("unix:/") ? undefined : "must be unix: and an absolute path";
  if (!URL.canParse(text)) return "must be an address such as http://127.0.0.1:11434, or unix: and a path";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https:// or unix:";
  if (url.username !== "" || url.password !== "")
    return "must hold no user and password; use credential_env, credential_file or credential_command";
  return url.search === "" && url.hash === "" ? undefined : "must end with its path, without ? and #";
}

const Address = z
  .string()
  .min(1)
  .max(2_000)
  .superRefine((text, context) => {
    const message = addressProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const Credential = z.object({
  /** The name of an environment variable of the server. */
  credential_env: z
    .string()
    .regex(VARIABLE, "must be the name of an environment variable; the key itself does not belong into this file")
    .optional(),
  /** A file with mode 0600 or 0400, one key a line. Relative: to the folder of sallyport.yaml. `~/` is the home of the user. */
  credential_file: z.string().min(1).max(LIMITS.pathChars).optional(),
  /** Prints one key. A list is run directly; a text is run by `/bin/sh -c`. */
  credential_command: z
    .union([z.string().min(1).max(4_000), z.array(z.string().max(4_000)).min(1).max(100)])
    .optional(),
});
const CREDENTIAL_FIELDS = ["credential_env", "credential_file", "credential_command"] as const;

/** Where one secret comes from. */
export const OneCredential = Credential.strict().refine((one) => given(one) === 1, {
  message: `must have exactly one of ${CREDENTIAL_FIELDS.join(", ")}`,
});
export type CredentialSetting = z.infer<typeof OneCredential>;

function given(one: z.infer<typeof Credential>): number {
  return CREDENTIAL_FIELDS.filter((field) => one[field] !== undefined).length;
}

/** Decide where a request goes and how long it is: no credential can be one of them. */
export const FRAMING_HEADER =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** One of `egress_credentials` in `sallyport.yaml`: a header that the egress proxy adds to requests for a host. */
const EgressCredential = Credential.extend({
  /** With a port, where that is not 443. */
  host: z
    .string()
    .max(260)
    .regex(
      /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::[1-9]\d{0,4})?$/,
      "must be one host in lower case, such as git.example.com",
    ),
  /** Absent: `authorization`. */
  header: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z\d-]*$/, "must be the name of a header")
    .refine((name) => !FRAMING_HEADER.test(name), { message: "cannot be set by a credential" })
    .optional(),
  /** With it the header holds user and secret as HTTP's Basic scheme has them, without it `Bearer` and the secret. */
  user: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^:\s]+$/, "must hold no blanks and no colon")
    .optional(),
})
  .strict()
  .superRefine((credential, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
    if (given(credential) !== 1) refuse("host", `needs exactly one of ${CREDENTIAL_FIELDS.join(", ")}`);
    if (credential.user !== undefined && (credential.header ?? "authorization").toLowerCase() !== "authorization")
      refuse("user", "goes with the header authorization only");
  });
export const EgressCredentials = z.array(EgressCredential).max(LIMITS.egressCredentials);
export type EgressCredentials = z.infer<typeof EgressCredentials>;

/** One provider in `sallyport.yaml`. Absent fields have the defaults of its kind. */
export const ProviderSetting = Credential.extend({
  /** Absent: the kind of the same name, else none. */
  kind: ProviderKind.optional(),
  base_url: Address.optional(),
  /** If the two wires have different addresses. */
  base_urls: z.object({ anthropic: Address.optional(), openai: Address.optional() }).strict().optional(),
  wire: ProviderWire.optional(),
  wires: z.array(ProviderWire).min(1).max(ProviderWire.options.length).optional(),
  /** Which of the wire `openai` our own loop asks. */
  openai_api: OpenAiApi.optional(),
  /** Several keys; the first one that is not paused is used. `own_login`: what a vendor's program keeps of a person's login. */
  credentials: z
    .union([z.array(OneCredential).min(1).max(LIMITS.credentialsPerProvider), z.literal("own_login")])
    .optional(),
  /** With `own_login`: where the program keeps it, and where it is refreshed. Absent: as the program does. */
  login: z
    .object({ file: z.string().min(1).max(LIMITS.pathChars).optional(), token_url: z.url().max(2_000).optional() })
    .strict()
    .optional(),
  auth: ProviderAuth.optional(),
  default_model: z.string().min(1).max(200).optional(),
  /** Models without a price are free. Absent: only for `sim` and the kind `local`. */
  free: z.boolean().optional(),
})
  .extend(RateLimit.shape)
  .strict()
  .superRefine((setting, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
    if (setting.wire !== undefined && setting.wires !== undefined) refuse("wires", "does not go with wire");
    if (setting.base_urls !== undefined) {
      for (const other of ["base_url", "wire", "wires"] as const)
        if (setting[other] !== undefined) refuse("base_urls", `does not go with ${other}: it names both`);
      if (Object.keys(setting.base_urls).length === 0)
        refuse("base_urls", "must name an address for anthropic or openai");
    }
    const single = given(setting);
    if (single > 1 || (single === 1 && setting.credentials !== undefined))
      refuse(
        "credentials",
        `only one of ${CREDENTIAL_FIELDS.join(", ")}; for several keys list them under credentials`,
      );
    if (setting.login !== undefined && setting.credentials !== "own_login")
      refuse("login", "goes with `credentials: own_login` only");
    if (setting.auth !== undefined && setting.credentials === "own_login")
      refuse("auth", "does not go with own_login: its token goes where the vendor wants it");
    if (setting.auth === "none" && (single > 0 || setting.credentials !== undefined))
      refuse("auth", "none does not go with a credential");
  });
export type ProviderSetting = z.infer<typeof ProviderSetting>;

/** The demo model beside the server: only these of its settings can be changed. */
const SIM_FIELDS: ReadonlySet<string> = new Set(["default_model", "free", "requests_per_minute", "tokens_per_minute"]);

/** `providers` of `sallyport.yaml`, by id. */
export const ProviderSettings = z.record(z.string(), ProviderSetting).superRefine((settings, context) => {
  const refuse = (path: readonly string[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  if (Object.keys(settings).length > LIMITS.providers) refuse([], `holds more than ${LIMITS.providers} providers`);
  for (const [id, setting] of Object.entries(settings)) {
    if (!PROVIDER_ID.test(id)) refuse([id], "is not an id: lower-case letters, digits, _ and -, a letter first");
    if (id === "sim") {
      for (const field of Object.keys(setting).filter((name) => !SIM_FIELDS.has(name)))
        refuse([id, field], "cannot be set: the demo model runs beside the server");
      continue;
    }
    const kind = setting.kind ?? ProviderKind.safeParse(id).data;
    const address = setting.base_url ?? setting.base_urls;
    if (setting.credentials === "own_login" && (kind === undefined || KIND_LOGINS[kind] === undefined))
      refuse([id, "credentials"], `own_login is for the kinds ${Object.keys(KIND_LOGINS).join(" and ")}`);
    if ((kind === undefined || kind === "local") && address === undefined)
      refuse([id, "base_url"], "is missing: say where the provider answers");
    // Without this check the first account of the kind would silently be charged.
    const hasSource = given(setting) > 0 || setting.credentials !== undefined || setting.auth === "none";
    if (kind !== undefined && kind !== "local" && kind !== id && !hasSource)
      refuse([id, "credential_env"], "is missing: say where the key of this account comes from");
    const wires = setting.wire ?? setting.wires ?? setting.base_urls;
    if ((kind === undefined || kind === "local") && wires === undefined)
      refuse([id, "wire"], "is missing: say which wire it speaks, anthropic or openai");
  }
});
export type ProviderSettings = z.infer<typeof ProviderSettings>;

/** `prices` of `sallyport.yaml`: `<model glob>` or `<provider>/<model glob>`. */
export const PriceSettings = z
  .record(z.string().min(1).max(200), Price)
  .refine((prices) => Object.keys(prices).length <= LIMITS.priceOverrides, {
    message: `holds more than ${LIMITS.priceOverrides} prices`,
  });
export type PriceSettings = z.infer<typeof PriceSettings>;

/** How a provider does, by the requests sent to it and its key. `degraded`: it answers, with trouble. */
export const ProviderStatus = z.enum(["available", "degraded", "unavailable"]);
export type ProviderStatus = z.infer<typeof ProviderStatus>;

/** A provider as the API shows it. Never contains a key. */
export const ProviderView = z.object({
  id: z.string(),
  /** Used by sessions that name no provider. */
  is_default: z.boolean(),
  wires: z.array(ProviderWire),
  /** By wire: host and port, or `unix`. */
  hosts: z.object({ anthropic: z.string().optional(), openai: z.string().optional() }),
  /** Empty: a session must name its model. */
  default_model: z.string(),
  /** Models without a price are free. */
  free: z.boolean(),
  credential: z.enum(["found", "missing", "not_needed"]),
  /** Names that identify the keys: `ANTHROPIC_API_KEY`, `key.txt#2`. The first one is used next. */
  credential_names: z.array(z.string()),
  /** By its key, and by how it answered lately. */
  status: ProviderStatus,
  ...ownLogin,
  /** What to do if the credential is missing. */
  message: z.string().optional(),
});
export type ProviderView = z.infer<typeof ProviderView>;

/** A provider's answer to a test: whether it is reachable and accepts our key. */
export const ProviderReport = z.object({
  id: z.string(),
  status: z.enum(["ok", "unauthenticated", "unreachable", "failed"]),
  /** For people; says what to do when it is not `ok`. */
  message: z.string(),
  wires: z.array(ProviderWire),
  models: z.array(z.string()).optional(),
  latency_ms: z.number().int().nonnegative().optional(),
});
export type ProviderReport = z.infer<typeof ProviderReport>;

/** Which prices are asked for. Absent: all. */
export const PriceQuery = z.object({
  model: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(64).optional(),
});
export type PriceQuery = z.infer<typeof PriceQuery>;

export const PriceList = z.object({ prices: z.array(PricedModel) });
export type PriceList = z.infer<typeof PriceList>;
