import {
  BridgeProvider,
  defined,
  OUTPUT_STYLES,
  type BridgeControl,
  type BridgeVerbosity,
  type CreateSession,
  type OutputStyle,
  type ThreadMapping,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { SurfaceOptions } from "../surface.ts";
import { defaultProvider, engineOf, requireEngine } from "./providers.ts";

export type SubmitRun = Extract<BridgeControl, { control: "run.submit" }>;
type SelectOptions = Extract<BridgeControl, { control: "options.select" }>;

/** What one socket chose for its next runs and rows. */
export class BridgeChoices {
  readonly #options: SurfaceOptions;
  readonly #caller: Caller;
  mapping: ThreadMapping;
  verbosity: BridgeVerbosity = "normal";
  /** Absent: the default, which depends on what is installed. */
  #provider: BridgeProvider | undefined;
  /** Absent: the server's own. */
  #model: string | undefined;
  #outputStyle: OutputStyle | undefined;

  constructor(options: SurfaceOptions, caller: Caller) {
    this.#options = options;
    this.#caller = caller;
    this.mapping = options.bridge?.mapping ?? "compat";
  }

  /** A Failure that says what to do if it cannot be used here. */
  selectProvider(provider: BridgeProvider): void {
    requireEngine(provider, this.#options.gateway.describeEngines());
    this.#provider = provider;
  }

  selectOptions({ model, outputStyle, verbosity }: SelectOptions): void {
    if (model !== undefined) this.#model = model ?? undefined;
    if (outputStyle !== undefined) this.#outputStyle = outputStyle ?? undefined;
    if (verbosity !== undefined) this.verbosity = verbosity ?? "normal";
  }

  /** The settings of a new session. */
  async settingsFor(message: SubmitRun): Promise<CreateSession> {
    const { engine, cwd, model = this.#model, outputStyle = this.#outputStyle, provider = this.#wanted() } = message;
    const profile = this.#caller.token.bounds.profile === undefined ? this.#options.bridge?.profile : undefined;
    const style = outputStyle === undefined ? "" : OUTPUT_STYLES[outputStyle];
    return defined({
      engine: engine ?? requireEngine(provider, this.#options.gateway.describeEngines()),
      workspace: cwd ?? (await this.#root()),
      model,
      profile,
      system_prompt: style === "" ? undefined : style,
    });
  }

  async describe(): Promise<object> {
    const engines = this.#options.gateway.describeEngines();
    const named = BridgeProvider.options.map((provider) => [provider, engineOf(provider, engines) ?? null] as const);
    return {
      provider: this.#wanted(),
      providers: Object.fromEntries(named),
      mapping: this.mapping,
      model: this.#model ?? null,
      output_style: this.#outputStyle ?? "default",
      verbosity: this.verbosity,
      cwd: (await this.#root()) ?? this.#options.describe().default_workspace,
    };
  }

  #wanted(): BridgeProvider {
    const { gateway, bridge } = this.#options;
    return this.#provider ?? bridge?.provider ?? defaultProvider(gateway.describeEngines(), gateway.providers.wires());
  }

  /** The repository that the server was started in; undefined: its own folder. */
  #root(): Promise<string | undefined> {
    return this.#options.bridge?.repositoryRoot === false
      ? Promise.resolve(undefined)
      : this.#options.gateway.folders.repositoryRoot(this.#caller);
  }
}
