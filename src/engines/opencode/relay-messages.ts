/** What the relay is told first: how OpenCode's server is started. Secrets are in it, so it comes by the pipe. */
export interface RelayStart {
  readonly type: "start";
  readonly executable: string;
  readonly arguments: readonly string[];
  /** OpenCode's configuration; in its texts RELAY_ADDRESS and MODEL_ADDRESS stand for what they lead to. */
  readonly config: string;
  /** All that OpenCode's environment has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it works; made if it is missing. */
  readonly folder: string;
  /** Written before it starts. Inside the sandbox: from outside, a link put there would be a way out. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Of OpenCode's server. */
  readonly password: string;
  /** The model proxy's socket; absent: OpenCode reaches the proxy by itself. */
  readonly modelSocket?: string | undefined;
  /** Milliseconds between signs of life while a tool's result is waited for: OpenCode gives up a silent connection. */
  readonly keepAliveMs: number;
  /** The most bytes of one message of OpenCode to a tool, and of one answer of its server. */
  readonly messageBytes: number;
  /** How often its stream of events is opened again after it broke off. */
  readonly reconnects: number;
}

/** What the relay is told after that. */
export type RelayRequest =
  | {
      readonly type: "request";
      readonly id: number;
      readonly method: string;
      readonly path: string;
      /** JSON; absent: none. */
      readonly body?: string | undefined;
    }
  /** The answer to a message of the Model Context Protocol; `message` absent: it gets none. */
  | { readonly type: "answer"; readonly id: number; readonly message?: unknown };

/** Stands in the configuration for `http://127.0.0.1:<port>/<secret>`. */
export const RELAY_ADDRESS = "http://relay.invalid";
/** Stands in the configuration for a port that leads to the model proxy's socket. */
export const MODEL_ADDRESS = "http://model.invalid";
