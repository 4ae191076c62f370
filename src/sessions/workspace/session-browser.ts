import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SessionBrowser, type BrowserMeans, type BrowserPlace } from "../../browser/index.ts";
import { openEgressProxy } from "../../network/index.ts";
import type { EnvironmentRequest } from "../dependencies.ts";
import type { EnvironmentOptions } from "./environment.ts";
import type { SessionSandbox } from "./session-sandbox.ts";

/** Profiles of browsers that run without a sandbox, by session. */
const PROFILES = "browsers";
/** Inside of a sandbox: in memory, and gone with it. */
const INSIDE = "/tmp/sallyport-browser";

const SWITCHED_OFF = { reason: "they are switched off here", remedy: "`browser: auto` in sallyport.yaml" } as const;

/** The browser of a session. Nothing starts before a tool needs it. */
export function openSessionBrowser(
  options: EnvironmentOptions,
  wanted: EnvironmentRequest,
  { sandbox, egressUrl, refusals }: SessionSandbox,
): SessionBrowser {
  const { workspace } = wanted.settings;
  const means: BrowserMeans = {
    program: options.browser?.program ?? SWITCHED_OFF,
    sandbox,
    workspace,
    place: () =>
      sandbox.kind === "local" ? localPlace(options, wanted, refusals) : Promise.resolve(walledPlace(egressUrl)),
    abilities: wanted.browserAbilities,
    refusals: () => refusals.splice(0),
    after: options.browser?.after ?? (() => () => undefined),
    toolMs: options.browser?.toolMs,
  };
  return new SessionBrowser(means);
}

function walledPlace(proxyUrl: string | undefined): BrowserPlace {
  return { profile: INSIDE, network: { proxyUrl, ownLoopback: true }, close: async () => undefined };
}

/** Without a sandbox the network is the machine's: a proxy of this browser alone keeps it to the session's hosts. */
async function localPlace(
  { home, egress }: EnvironmentOptions,
  wanted: EnvironmentRequest,
  refusals: string[],
): Promise<BrowserPlace> {
  const profile = join(home, PROFILES, wanted.session_id);
  await mkdir(profile, { recursive: true, mode: 0o700 });
  const proxy = await openEgressProxy({
    listen: 0,
    hosts: wanted.egressHosts,
    ask: wanted.askHost,
    addressOf: egress?.addressOf,
    onRefused: ({ reason, message }) => {
      egress?.onRefused(reason);
      keepRefusal(refusals, message);
    },
  });
  return {
    profile,
    network: { proxyUrl: `http://127.0.0.1:${String(proxy.port)}`, ownLoopback: false },
    close: async () => {
      await proxy.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Only the first few: a page may try one host after the other. */
export function keepRefusal(refusals: string[], message: string): void {
  if (refusals.length < REFUSALS_KEPT) refusals.push(message);
}
const REFUSALS_KEPT = 20;

/** At start: profiles of browsers that a server left that died. Their processes have ended by then. */
export async function sweepBrowserProfiles(home: string): Promise<void> {
  await rm(join(home, PROFILES), { recursive: true, force: true });
}
