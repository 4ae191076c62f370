/** How Chromium reaches the web. */
export interface BrowserNetwork {
  /** An HTTP proxy that decides on each host. Absent: there is no network but the sandbox's own loopback. */
  readonly proxyUrl?: string | undefined;
  /** Whether the loopback is the sandbox's own: pages may then reach it without the proxy. */
  readonly ownLoopback: boolean;
}

export interface BrowserCommand {
  readonly program: string;
  /** A folder of this browser alone, as it is named inside of the sandbox. */
  readonly profile: string;
  readonly network: BrowserNetwork;
  /** Whether the session's sandbox is the wall around pages: Chromium's own cannot be made inside of it. */
  readonly isWalled: boolean;
}

/** Its commands come and go over its standard streams, so that no port is open to pages and neighbours. */
const ON_STANDARD_STREAMS = 'exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2';

const QUIET = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-component-extensions-with-background-pages",
  "--disable-domain-reliability",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--disable-quic",
  "--metrics-recording-only",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
  "--hide-scrollbars",
  "--disable-features=MediaRouter,OptimizationHints,Translate,AutofillServerCommunication,DnsOverHttps",
] as const;

/** Names are looked up by the proxy alone, and nothing goes around it. */
const NOTHING_BESIDE_THE_PROXY = [
  "--dns-prefetch-disable",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
] as const;

/** A proxy that is nowhere: what must not be reached is not even tried. */
const NOWHERE = "http://127.0.0.1:9";

export function browserCommand({ program, profile, network, isWalled }: BrowserCommand): [string, ...string[]] {
  const { proxyUrl = NOWHERE, ownLoopback } = network;
  return [
    "/bin/sh",
    "-c",
    ON_STANDARD_STREAMS,
    program,
    ...QUIET,
    ...NOTHING_BESIDE_THE_PROXY,
    `--user-data-dir=${profile}`,
    `--proxy-server=${proxyUrl}`,
    // Chromium goes around a proxy for the loopback unless it is told not to.
    ...(ownLoopback ? [] : ["--proxy-bypass-list=<-loopback>"]),
    ...(isWalled || process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "about:blank",
  ];
}
