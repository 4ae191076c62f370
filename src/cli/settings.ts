import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { Failure, LIMITS } from "../protocol/index.ts";

const FileSettings = z
  .object({
    host: z.string().optional(),
    port: z.number().int().min(0).max(65_535).optional(),
    workspace: z.string().optional(),
    model: z.string().optional(),
    provider: z.string().optional(),
    allowed_hosts: z.array(z.string()).optional(),
    roots: z.array(z.string()).optional(),
    requests_per_minute: z.number().int().min(1).optional(),
  })
  .strict();

type Origin = "flag" | "environment" | "file" | "default";

/** A setting and where it came from, for `doctor`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly origin: Origin;
}

export interface Settings {
  /** Absolute. */
  readonly home: Setting<string>;
  readonly host: Setting<string>;
  readonly port: Setting<number>;
  /** Absolute. */
  readonly workspace: Setting<string>;
  readonly provider: Setting<"sim" | "cloud">;
  readonly model: Setting<string | undefined>;
  readonly allowedHosts: Setting<readonly string[]>;
  readonly roots: Setting<readonly string[]>;
  readonly requestsPerMinute: Setting<number>;
  /** Fixes the first admin token. */
  readonly token: Setting<string | undefined>;
  readonly apiKey: Setting<string | undefined>;
  readonly apiUrl: Setting<string>;
}

export interface Flags {
  readonly home?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly workspace?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly allowedHost?: readonly string[] | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const SETTINGS_FILE = "sallyport.yaml";

/** Flags, then the environment, then `sallyport.yaml` in the home folder, then what ships. */
export function readSettings(flags: Flags, environment: Environment, cwd: string): Settings {
  const home = pick<string>([flags.home, environment["SALLYPORT_HOME"], undefined], ".sallyport");
  const homePath = resolve(cwd, home.value);
  const file = readFile(join(homePath, SETTINGS_FILE));
  const apiKey = pick<string | undefined>([undefined, environment["ANTHROPIC_API_KEY"], undefined], undefined);
  const provider = pick<string>(
    [flags.provider, environment["SALLYPORT_PROVIDER"], file.provider],
    apiKey.value === undefined ? "sim" : "cloud",
  );
  if (provider.value !== "sim" && provider.value !== "cloud") {
    throw new Failure("invalid_request", `there is no provider ${provider.value}; there are: cloud, sim`);
  }
  const workspace = pick<string>([flags.workspace, environment["SALLYPORT_WORKSPACE"], file.workspace], cwd);
  const workspacePath = resolve(cwd, workspace.value);
  const hosts = environment["SALLYPORT_ALLOWED_HOSTS"]?.split(",").filter((host) => host !== "");
  return {
    home: { ...home, value: homePath },
    host: pick<string>([flags.host, environment["SALLYPORT_HOST"], file.host], "127.0.0.1"),
    port: pick<number>([flags.port, portOf(environment["SALLYPORT_PORT"]), file.port], 5353),
    workspace: { ...workspace, value: workspacePath },
    provider: { value: provider.value, origin: provider.origin },
    model: pick<string | undefined>([flags.model, environment["SALLYPORT_MODEL"], file.model], undefined),
    allowedHosts: pick<readonly string[]>([flags.allowedHost, hosts, file.allowed_hosts], []),
    roots: pick<readonly string[]>([undefined, undefined, file.roots], [workspacePath]),
    requestsPerMinute: pick<number>(
      [undefined, numberOf(environment["SALLYPORT_REQUESTS_PER_MINUTE"]), file.requests_per_minute],
      LIMITS.requestsPerMinutePerToken,
    ),
    token: pick<string | undefined>([undefined, environment["SALLYPORT_TOKEN"], undefined], undefined),
    apiKey,
    apiUrl: pick<string>([undefined, environment["ANTHROPIC_BASE_URL"], undefined], "https://api.anthropic.com"),
  };
}

function pick<Value>(
  candidates: readonly [Value | undefined, Value | undefined, Value | undefined],
  fallback: Value,
): Setting<Value> {
  const origins = ["flag", "environment", "file"] as const;
  for (const [index, origin] of origins.entries()) {
    const value = candidates[index];
    if (value !== undefined && value !== "") return { value, origin };
  }
  return { value: fallback, origin: "default" };
}

function readFile(path: string): z.infer<typeof FileSettings> {
  if (!existsSync(path)) return {};
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Failure("invalid_request", `${path} is not valid YAML: ${error instanceof Error ? error.message : "?"}`);
  }
  const parsed = FileSettings.safeParse(raw ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure("invalid_request", `${path}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not valid"}`);
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Failure("invalid_request", `${text} is not a whole number above 0`);
  return value;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new Failure("invalid_request", `SALLYPORT_PORT=${text} is not a port`);
  return value;
}
