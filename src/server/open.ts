import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { openApp } from "../cli/app.ts";
import { serve } from "../cli/serve.ts";
import { readSettings, settingsOf, type Environment, type NewestSettings, type Settings } from "../cli/settings.ts";
import { parseSettings, settingsPath, type FileSettings } from "../cli/settings-file.ts";
import { Failure, makeRedactor, type Log } from "../protocol/index.ts";
import { checkedHooks, type Gateway, type ToolHook } from "../sessions/index.ts";
import type { ToolModule } from "../tools/index.ts";
import { redactedLog, SILENT } from "./log.ts";
import { principalOf, type EmbeddedPrincipal } from "./principal.ts";

/** What `sallyport.yaml` may hold. */
export type SallyportSettings = z.input<typeof FileSettings>;

export interface SallyportOptions {
  /** The gateway's own folder: database, tokens, policy. Made if it is not there; one gateway at a time can have it open. */
  readonly home: string;
  /** Where sessions work that name no other folder. */
  readonly workspace: string;
  /** In the words of `sallyport.yaml`, and in its place. Absent: the file in the home folder, read again when it changes. */
  readonly settings?: SallyportSettings | undefined;
  /** Variables, in the place of the process's: keys of providers, and what programs of sessions get. Absent: a standard PATH alone. */
  readonly environment?: Environment | undefined;
  /** Tools that sessions have, as `mcp__<module>__<tool>`. Absent: none beside our own. */
  readonly tools?: readonly ToolModule[] | undefined;
  /** Checks before every tool call, in order, after the policy. Absent: none. */
  readonly hooks?: readonly ToolHook[] | undefined;
  /** HTTP, WebSockets and the console on this address. `port` 0: any free one. Absent: nothing listens. */
  readonly listen?: { readonly host?: string | undefined; readonly port: number } | undefined;
  /** Takes redacted lines for the operator. Absent: nobody reads them. */
  readonly log?: Log | undefined;
  /** The store can no longer write; the gateway has ended its sessions. Absent: that is only logged. */
  readonly onFatal?: ((error: Error) => void) | undefined;
}

export interface Sallyport extends AsyncDisposable {
  /** The first admin. */
  readonly admin: EmbeddedPrincipal;
  /** The first admin's token, as the file `token` in the home folder has it. */
  readonly adminToken: string;
  /** Undefined: nothing listens. */
  readonly url: string | undefined;
  /** The principal of a token. A Failure if the token is not valid. */
  principal(token: string): Promise<EmbeddedPrincipal>;
  /** Stops without ending anything: open turns and questions wait for the next start. */
  close(): Promise<void>;
}

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
