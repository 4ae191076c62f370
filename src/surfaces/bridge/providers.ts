import { BridgeProvider, Failure } from "../../protocol/index.ts";

/** The engines for each agent of document 002, the preferred one first. */
const ENGINES: Readonly<Record<BridgeProvider, readonly string[]>> = {
  codex: ["codex"],
  opencode: ["opencode"],
  claude: ["claude-cli", "loop", "claude-sdk"],
};

/** The engine for a provider's runs; absent if this server has none for it. */
export function engineOf(provider: BridgeProvider, engines: readonly string[]): string | undefined {
  return ENGINES[provider].find((engine) => engines.includes(engine));
}

/** The same, or a Failure that says what to do. */
export function requireEngine(provider: BridgeProvider, engines: readonly string[]): string {
  const engine = engineOf(provider, engines);
  if (engine !== undefined) return engine;
  const others = BridgeProvider.options.filter((other) => engineOf(other, engines) !== undefined);
  throw new Failure(
    "unsupported",
    `${provider} is not installed on this server, which has the engines ${engines.join(", ")}: install an engine for ` +
      `${provider} and start the server again, or select another provider (${others.join(", ")})`,
  );
}

/** Document 002 has Codex as the default; a server without it uses Claude. */
export function defaultProvider(engines: readonly string[]): BridgeProvider {
  return engineOf("codex", engines) === undefined ? "claude" : "codex";
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
