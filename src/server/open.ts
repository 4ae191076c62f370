import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { openApp } from "../cli/app.ts";
import { serve } from "../cli/serve.ts";
import {
  readSettings,
  settingsOf,
  type Environment,
  type NewestSettings,
  type Settings,
} from "../cli/settings/settings.ts";
import { parseSettings, settingsPath } from "../cli/settings/file.ts";
import { Failure, makeRedactor, type Log } from "../protocol/index.ts";
import { checkedHooks, type Gateway } from "../sessions/index.ts";
import { redactedLog, SILENT } from "./log.ts";
import { principalOf } from "./principal.ts";
import type { Sallyport, SallyportOptions } from "./types.ts";

const STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Opens a gateway in this process. Reads no environment variable; several can be open at once, each on a home of its own. */
export async function openSallyport(options: SallyportOptions): Promise<Sallyport> {
  const { log = SILENT, environment = { PATH: STANDARD_PATH } } = options;
  const hooks = checkedHooks(options.hooks ?? []);
  const settings = settingsFor(options, environment);
  const onFatal = (error: Error): void => {
    log.error({ err: { message: error.message } }, "the store cannot write any more: the gateway has ended");
    options.onFatal?.(error);
  };
  const opening = { ...settings, environment, hooks, toolModules: options.tools, version: versionOf(), onFatal };
  const opened = await (options.listen === undefined ? openInside(opening, log) : openServing(opening, log));
  return publicFace(opened);
}

type Opening = Pick<Parameters<typeof serve>[0], "environment" | "hooks" | "toolModules" | "version" | "onFatal"> &
  SettingsChoice;

interface SettingsChoice {
  readonly settings: Settings;
  readonly newest?: NewestSettings | undefined;
}

interface OpenedGateway {
  readonly gateway: Gateway;
  readonly token: string;
  readonly url?: string | undefined;
  close(): Promise<void>;
}

function settingsFor(
  { home, workspace, settings, listen }: SallyportOptions,
  environment: Environment,
): SettingsChoice {
  if (home === "" || workspace === "")
    throw new Failure("invalid_request", "openSallyport needs a home and a workspace");
  // Absolute from here on: nothing below depends on the folder that the program is in.
  const flags = { home: resolve(home), workspace: resolve(workspace), host: listen?.host, port: listen?.port };
  if (settings === undefined) return { settings: readSettings(flags, environment, flags.workspace) };
  const path = settingsPath(flags.home);
  const file = parseSettings(JSON.stringify(settings), { path, environment });
  const { providers = {}, prices = {}, failover = {} } = file;
  return {
    settings: settingsOf(flags, { environment, cwd: flags.workspace, file }),
    newest: { providers: () => providers, prices: () => prices, failover: () => failover },
  };
}

async function openInside(opening: Opening, log: Log): Promise<OpenedGateway> {
  const { apiKey, token } = opening.settings;
  const redact = makeRedactor([apiKey.value, token.value].filter((secret) => secret !== undefined));
  const app = await openApp({ ...opening, log: redactedLog(log, redact), redact, reach: () => undefined });
  return { gateway: app.gateway, token: app.adminToken, close: () => app.close() };
}

async function openServing(opening: Opening, log: Log): Promise<OpenedGateway> {
  const serving = await serve({ ...opening, logLevel: "silent", openLog: (redact) => redactedLog(log, redact) });
  const { gateway, token, url } = serving;
  return { gateway, token, url, close: () => serving.close() };
}

function publicFace(opened: OpenedGateway): Sallyport {
  const { gateway, token, url } = opened;
  const closing = new AbortController();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing.abort();
    closed ??= opened.close();
    return closed;
  };
  return {
    admin: principalOf(gateway, token, closing.signal),
    adminToken: token,
    url,
    principal: async (of) => {
      await gateway.tokens.authenticate(of);
      return principalOf(gateway, of, closing.signal);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function versionOf(): string {
  // Beside the built file: dist/server and package.json.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
