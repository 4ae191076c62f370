import { BridgeProvider, Failure, type EngineView } from "../../protocol/index.ts";

/** The engines for each agent of document 002, the preferred one first. */
const ENGINES: Readonly<Record<BridgeProvider, readonly [string, ...string[]]>> = {
  codex: ["codex"],
  opencode: ["opencode"],
  claude: ["claude-cli", "loop", "claude-sdk"],
};

/** Document 002 has Codex as the default; without it the agent that the document is about. */
const BY_DEFAULT: readonly BridgeProvider[] = ["codex", "claude", "opencode"];

type Engines = readonly EngineView[];

/** The engine for a provider's runs; absent if this server has none for it that can be used. */
export function engineOf(provider: BridgeProvider, engines: Engines): string | undefined {
  return usable(provider, engines)?.id;
}

function usable(provider: BridgeProvider, engines: Engines): EngineView | undefined {
  const views = ENGINES[provider].map((id) => engines.find((engine) => engine.id === id));
  return views.find((engine) => engine?.available === true);
}

/** The same, or a Failure that says what to do. */
export function requireEngine(provider: BridgeProvider, engines: Engines): string {
  const engine = engineOf(provider, engines);
  if (engine !== undefined) return engine;
  const others = BridgeProvider.options.filter((other) => engineOf(other, engines) !== undefined);
  throw new Failure(
    "unsupported",
    `${provider} cannot be used here: ${whyNot(provider, engines)} Or select another provider: ${others.join(", ")}`,
  );
}

function whyNot(provider: BridgeProvider, engines: Engines): string {
  const [first] = ENGINES[provider];
  const known = engines.find(({ id }) => id === first);
  const why =
    known === undefined ? `this server has no engine ${first}` : (known.advice ?? `${first} is not available`);
  return /[.!?]$/.test(why) ? why : `${why}.`;
}

/** What runs get that name no provider: the first that can be used and speaks a wire of the server's model provider. */
export function defaultProvider(engines: Engines, wires: readonly string[]): BridgeProvider {
  const speaks = ({ wires: own }: EngineView): boolean => own.length === 0 || own.some((wire) => wires.includes(wire));
  const fits = BY_DEFAULT.find((provider) => {
    const engine = usable(provider, engines);
    return engine !== undefined && speaks(engine);
  });
  return fits ?? "claude";
}

/** Refuses to continue a session of another agent than the requested one. */
export function checkEngine(
  session: { readonly id: string; readonly engine: string },
  { provider, engine }: { readonly provider?: BridgeProvider | undefined; readonly engine?: string | undefined },
): void {
  const wanted = engine ?? provider;
  const fits =
    engine === undefined
      ? provider === undefined || ENGINES[provider].includes(session.engine)
      : engine === session.engine;
  if (fits) return;
  throw new Failure(
    "conflict",
    `session ${session.id} runs on ${session.engine}, not on ${wanted}: leave that out, or start a new run`,
  );
}
