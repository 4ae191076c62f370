import { Option, type Command } from "commander";
import {
  defined,
  dollars,
  Failure,
  type CreateTunnelOffer,
  type SaveTunnel,
  type TunnelOfferView,
  type TunnelView,
} from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { openTunnelDoor, type TunnelDoor } from "../wiring/tunnel-door.ts";
import { addedTunnel, addressOf, codeOf, showPairing, type AddedTunnel } from "./tunnel-pairing.ts";
import { keyOptions, keyRequest, type KeyFlags } from "./key.ts";
import { collect, wholeNumber } from "./options.ts";

const HELP = `
A tunnel lets a gateway elsewhere use models of this machine. Their keys stay here: the other side sends requests, and this machine
answers them, counts them and can refuse them.

Examples:
  $ sallyport tunnel serve work --pair --max-cost-per-day 5    # on the machine with the keys; shows a code
  $ sallyport tunnel add work wss://abc.ngrok.app/claude --code K7Q2M-4XTPB    # on the gateway
  $ sallyport tunnel list`;

const SERVE_HELP = `
The first time it makes the offer; later it goes on with the one that there is. It runs until Ctrl-C: then nobody can connect through it
any more. \`sallyport tunnel revoke\` ends the offer itself, at once.

Examples:
  $ sallyport tunnel serve work --pair --model "claude-*" --max-cost-per-day 5 --requests-per-minute 60
  $ sallyport tunnel serve work --pair --url wss://abc.ngrok.app/claude    # also as a link and a QR code
  $ sallyport tunnel serve work --dial wss://gateway.example.org/tunnel --code K7Q2M-4XTPB`;

const ADD_HELP = `
Without an address the other side connects to this server, at /tunnel. A pre-shared key is a file below the folder secrets of the home folder,
readable by its owner alone; a pairing code makes it, on both machines.

Examples:
  $ sallyport tunnel add home wss://abc.ngrok.app/claude --code K7Q2M-4XTPB
  $ sallyport tunnel add "wss://abc.ngrok.app/claude?tunnel=home#K7Q2M-4XTPB"    # the link that home shows
  $ sallyport tunnel add home --pair    # home connects here; shows a code for it
  $ sallyport tunnel add home wss://abc.ngrok.app/claude --auth psk --secret-path tunnels/home
  $ sallyport tunnel add home --auth psk --secret-path tunnels/home --requests-per-minute 60 --tokens-per-minute 200000`;

const AUTHS = ["none", "nostr", "psk"] as const;
/** How often the list of what is served is looked at, milliseconds. */
const LOOK_MS = 1_000;

export function addTunnel(program: Command, context: CommandContext): void {
  const tunnel = program
    .command("tunnel")
    .description("use models of another machine, or serve this one's")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addServe(tunnel, context);
  addAdd(tunnel, context);
  tunnel
    .command("list")
    .description("the tunnels of this server, and what it serves to others")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport tunnel list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const [{ tunnels }, { offers }] = await Promise.all([client.tunnels.list(), client.tunnels.offers()]);
        if (json === true) printJson(context, { tunnels, offers });
        else showAll(context, { tunnels, offers });
        return EXIT.done;
      }),
    );
  tunnel
    .command("test")
    .description("ask a tunnel's other side for its models; costs nothing")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport tunnel test home")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const report = await client.tunnels.test(id);
        const took = report.latency_ms === undefined ? "" : ` (${report.latency_ms} ms)`;
        print(context, `${id}: ${report.status}, ${visible(report.message)}${took}`);
        for (const model of report.models) print(context, `  ${visible(model)}`);
        return report.status === "ok" ? EXIT.done : EXIT.failed;
      }),
    );
  tunnel
    .command("revoke")
    .description("end an offer of this machine, or remove a tunnel of this server; what runs is cut off at once")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport tunnel revoke work")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { offers } = await client.tunnels.offers();
        if (offers.some((offer) => offer.id === id)) await client.tunnels.revoke(id);
        else await client.tunnels.remove(id);
        print(context, `${id} is gone`);
        return EXIT.done;
      }),
    );
}

interface AddFlags {
  readonly code?: string;
  readonly pair?: boolean;
  readonly auth: (typeof AUTHS)[number];
  readonly secretPath?: string;
  readonly agent?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

function addAdd(tunnel: Command, context: CommandContext): void {
  tunnel
    .command("add")
    .description("use the models of another machine")
    .argument("<id>", "what both sides call it, or a pairing link")
    .argument("[url]", "where the other side listens, wss:// or ws://")
    .option("--code <code>", "the pairing code that the other side shows")
    .option("--pair", "without an address: show a pairing code for the machine that connects here")
    .addOption(new Option("--auth <kind>", "how this server proves who it is").choices(AUTHS).default("nostr"))
    .option("--secret-path <path>", "the pre-shared key, below the folder secrets of the home folder")
    .option("--agent <pubkey>", "the only agents that may use it, hex or npub; several times", collect)
    .option("--requests-per-minute <count>", "requests to models", wholeNumber({ from: 1, to: 1_000_000 }))
    .option("--tokens-per-minute <count>", "tokens of models", wholeNumber({ from: 1, to: 10_000_000_000 }))
    .addHelpText("after", ADD_HELP)
    .action((id: string, url: string | undefined, flags: AddFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const added = addedTunnel(id, { url, code: flags.code });
        const { state, message } = await addOne(client, added, flags);
        const words = message === undefined ? state : visible(message);
        print(context, `${added.id}: ${words}; sessions name it as tunnel:${added.id}`);
        if (flags.pair !== true) return EXIT.done;
        const there = `sallyport tunnel serve ${added.id} --dial wss://<this server>/tunnel --code <code>`;
        await showPairing(context, await client.tunnels.code(added.id), { there });
        return EXIT.done;
      }),
    );
}

async function addOne(
  client: ServerConnection["client"],
  { id, url, code }: AddedTunnel,
  flags: AddFlags,
): Promise<TunnelView> {
  if (code === undefined) {
    if (flags.pair !== true) return client.tunnels.save(id, tunnelOf(flags, url));
    if (url !== undefined)
      throw new Failure("invalid_request", "--pair is for a machine that connects here: leave the address out");
    // Its key is made when it pairs: until then there is no such file, and nobody gets in.
    const auth = { type: "psk", secret_path: `tunnels/_endpoints/${id}` } as const;
    return client.tunnels.save(id, { ...tunnelOf({ ...flags, auth: "nostr" }, url), auth });
  }
  if (url === undefined) throw new Failure("invalid_request", "--code needs the address of the machine that shows it");
  const { auth: _paired, ...setting } = tunnelOf({ ...flags, auth: "nostr" }, url);
  return client.tunnels.pair(id, { ...setting, url, code });
}

function tunnelOf(flags: AddFlags, url: string | undefined): SaveTunnel {
  const { requestsPerMinute: requests, tokensPerMinute: tokens, agent } = flags;
  if ((requests === undefined) !== (tokens === undefined))
    throw new Failure("invalid_request", "--requests-per-minute and --tokens-per-minute go together");
  return defined({
    url,
    auth: authOf(flags),
    allowed_agents: agent === undefined ? undefined : [...agent],
    rate_limit:
      requests === undefined || tokens === undefined
        ? undefined
        : { requests_per_minute: requests, tokens_per_minute: tokens },
  });
}

function authOf({ auth, secretPath }: Pick<AddFlags, "auth" | "secretPath">): SaveTunnel["auth"] {
  if (auth !== "psk") return auth;
  if (secretPath === undefined)
    throw new Failure("invalid_request", "--auth psk needs --secret-path: the file with the key");
  return { type: "psk", secret_path: secretPath };
}

interface ServeTunnelFlags extends KeyFlags {
  readonly pair?: boolean;
  readonly url?: string;
  readonly code?: string;
  readonly auth: (typeof AUTHS)[number];
  readonly secretPath?: string;
  readonly agent?: readonly string[];
  readonly sessions?: boolean;
  readonly engine?: string;
  readonly profile?: string;
  readonly listen?: string;
  readonly dial?: string;
  readonly console?: string;
}

function addServe(tunnel: Command, context: CommandContext): void {
  keyOptions(
    tunnel
      .command("serve")
      .description("offer models of this machine to a gateway elsewhere, until Ctrl-C")
      .argument("<id>", "what both sides call it"),
  )
    .addOption(new Option("--auth <kind>", "how the other side proves who it is").choices(AUTHS).default("psk"))
    .option(
      "--secret-path <path>",
      "a pre-shared key that there is already, below the folder secrets of the home folder",
    )
    .option("--agent <pubkey>", "with nostr: the only keys that may connect, hex or npub; several times", collect)
    .option("--sessions", "whole sessions may run here too, with this machine's engines")
    .option("--engine <name>", "with --sessions: what drives sessions that name no engine (default: loop)")
    .option("--profile <name>", "the policy profile of the other side")
    .option("--pair", "show a short pairing code, once, instead of the pre-shared key")
    .option("--url <url>", "with --pair: how the other side reaches this machine, for a link and a QR code")
    .option("--code <code>", "with --dial: the pairing code that the gateway shows")
    .option("--listen <address>", "where the other side connects to (default: 127.0.0.1:5454)")
    .option("--dial <url>", "connect to the other side instead, wss:// or ws://")
    .option(
      "--console <host>",
      "where people reach this machine's console at the other side, with its port: home.example.org:8443",
    )
    .addHelpText("after", SERVE_HELP)
    .action((id: string, flags: ServeTunnelFlags, command: Command) =>
      withServer(context, command, async ({ client, url }) => {
        if (flags.url !== undefined) addressOf(flags.url);
        const { offers } = await client.tunnels.offers();
        if (!offers.some((offer) => offer.id === id)) {
          const { secret } = await client.tunnels.offer(offerOf(id, flags));
          if (secret !== undefined && flags.pair !== true && flags.code === undefined) {
            print(context, secret);
            context.screen.line(context.screen.paint.dim("the pre-shared key: keep it, it is not shown again"));
          }
        }
        const door = flags.dial === undefined ? await openDoor(url, flags.listen) : undefined;
        try {
          const where =
            door === undefined ? `connecting to ${flags.dial ?? ""}` : `ws://${door.host}:${door.port}/claude`;
          context.screen.line(`serving ${id} at ${where}; Ctrl-C stops`);
          tellConsole(
            context,
            (await client.tunnels.offers()).offers.find((one) => one.id === id),
          );
          if (flags.code !== undefined) await client.tunnels.pairOffer(id, { code: codeOf(flags.code) });
          if (flags.pair === true) {
            const there = `sallyport tunnel add ${id} <address> --code <code>`;
            await showPairing(context, await client.tunnels.offerCode(id), { url: flags.url, there });
          }
          return await follow(context, async () => (await client.tunnels.offers()).offers.find((one) => one.id === id));
        } finally {
          await door?.close();
        }
      }),
    );
}

/** How a phone gets to this console, and what its owner compares there. */
function tellConsole({ screen }: CommandContext, offer: TunnelOfferView | undefined): void {
  const { console: address, console_fingerprint: fingerprint } = offer ?? {};
  if (address === undefined) return;
  screen.line(`console at https://${address}; \`sallyport phone --address https://${address}\` lets a phone in`);
  screen.line(
    fingerprint === undefined
      ? "its certificate cannot be used: the server's log says why"
      : `the certificate there must have the SHA-256 fingerprint ${fingerprint}`,
  );
}

function openDoor(server: string, listen = "127.0.0.1:5454"): Promise<TunnelDoor> {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(listen);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535)
    throw new Failure("invalid_request", `--listen ${listen} is no address: write it as 127.0.0.1:5454`);
  return openTunnelDoor({ host: match[1] ?? "127.0.0.1", port, server });
}

function offerOf(id: string, flags: ServeTunnelFlags): CreateTunnelOffer {
  const { auth, secretPath, agent, sessions, engine, profile, dial, console: address } = flags;
  return {
    ...keyRequest(flags),
    id,
    auth: auth === "psk" && secretPath === undefined ? "psk" : authOf({ auth, ...defined({ secretPath }) }),
    ...defined({ allowed_agents: agent === undefined ? undefined : [...agent], sessions, engine, profile, dial }),
    ...defined({ console: address }),
  };
}

/** Tells what changes, until somebody stops it or the offer is revoked. */
async function follow(context: CommandContext, look: () => Promise<TunnelOfferView | undefined>): Promise<ExitCode> {
  const { screen, surroundings } = context;
  const stopping = new AbortController();
  const signals = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) =>
    surroundings.onSignal(name, () => stopping.abort()),
  );
  try {
    for (let told = ""; !stopping.signal.aborted;) {
      const offer = await look();
      if (offer === undefined) {
        screen.line("the offer was revoked");
        return EXIT.done;
      }
      const line = `${offer.state}: ${offer.requests} requests, ${dollars(offer.spent_microusd)} spent${offer.message === undefined ? "" : `; ${visible(offer.message)}`}`;
      if (line !== told) screen.line(line);
      told = line;
      await pause(LOOK_MS, stopping.signal);
    }
    return EXIT.done;
  } finally {
    for (const stop of signals) stop();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function showAll(
  context: CommandContext,
  { tunnels, offers }: { readonly tunnels: readonly TunnelView[]; readonly offers: readonly TunnelOfferView[] },
): void {
  if (tunnels.length + offers.length === 0) {
    print(context, "no tunnels; `sallyport tunnel --help` says how to make one");
    return;
  }
  if (tunnels.length > 0) {
    const rows = tunnels.map((one) => [
      one.id,
      one.state,
      one.auth_type,
      String(one.models.length),
      one.url ?? "it connects here",
      one.message ?? "",
    ]);
    for (const line of table([["TUNNEL", "STATE", "AUTH", "MODELS", "WHERE", "NOTE"], ...rows], width(context)))
      print(context, line);
  }
  if (offers.length === 0) return;
  const rows = offers.map((one) => [
    one.id,
    one.state,
    one.auth_type,
    one.bounds.provider,
    String(one.requests),
    dollars(one.spent_microusd),
    one.dial ?? "it connects here",
  ]);
  for (const line of table(
    [["OFFER", "STATE", "AUTH", "PROVIDER", "REQUESTS", "SPENT", "WHERE"], ...rows],
    width(context),
  ))
    print(context, line);
}
