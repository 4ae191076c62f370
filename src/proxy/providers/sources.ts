import { basename } from "node:path";
import { Failure, LIMITS, type Log } from "../../protocol/index.ts";
import type { NetworkProxies } from "../http/network-proxies.ts";
import { runCommand, type CommandOutcome } from "./command.ts";
import { LoginSource } from "./login.ts";
import type { ProviderEnvironment, SourceSetting } from "./resolve.ts";
import { readBounded, stampOf } from "./watched-file.ts";

/** One key as its source returned it. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  /** Sent beside it. Absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where keys come from. */
export interface KeySource {
  /** Identifies the source without showing a key. */
  readonly name: string;
  /**
   * What is known without waiting; undefined: call `read`. A Failure when there is something that is not a key. Empty: it is not
   * set.
   */
  ready(): readonly Secret[] | undefined;
  read(): Promise<readonly Secret[]>;
  /** One of its keys was refused: what is known may be outdated. */
  refused(): void;
}

export interface SourceContext {
  /** Whose keys they are, for messages: `the provider cloud`. */
  readonly owner: string;
  readonly environment: ProviderEnvironment;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  /** Receives each secret before anything could log it. Absent: whoever reads the keys tells. */
  readonly learn?: ((secret: string) => void) | undefined;
  /** Absent: nothing is logged. */
  readonly log?: Pick<Log, "warn"> | undefined;
  /** For logins. Absent: they are refreshed directly. */
  readonly networkProxies?: NetworkProxies | undefined;
}

export function openSource(setting: SourceSetting, context: SourceContext): KeySource {
  switch (setting.from) {
    case "environment":
      return new EnvironmentSource(setting.variable, context);
    case "file":
      return new FileSource(setting.path, context);
    case "command":
      return new CommandSource(setting.command, context);
    case "login":
      return new LoginSource(setting, context);
  }
}

const KEY = /^[\x21-\x7e]+$/;

/** Undefined: it can be put into a header. */
function problemOf(key: string): string | undefined {
  if (key.length > LIMITS.credentialChars) return `is longer than ${LIMITS.credentialChars} characters`;
  return KEY.test(key) ? undefined : "holds blanks or characters that no key has";
}

function unusable({ owner }: SourceContext, what: string): Failure {
  return new Failure("model_unauthenticated", `the credential of ${owner} cannot be used: ${what}`);
}

class EnvironmentSource implements KeySource {
  readonly name: string;
  readonly #context: SourceContext;

  constructor(variable: string, context: SourceContext) {
    this.name = variable;
    this.#context = context;
  }

  ready(): readonly Secret[] {
    const value = (this.#context.environment[this.name] ?? "").trim();
    if (value === "") return [];
    const problem = problemOf(value);
    if (problem !== undefined) throw unusable(this.#context, `${this.name} ${problem}`);
    return [{ name: this.name, value }];
  }

  async read(): Promise<readonly Secret[]> {
    return this.ready();
  }

  refused(): void {
    // The environment of a process does not change by itself.
  }
}

type ReadSecrets = { readonly secrets: readonly Secret[] } | { readonly failure: Failure };

/** One key a line; blank lines and lines that begin with # are skipped. */
class FileSource implements KeySource {
  readonly name: string;
  readonly #path: string;
  readonly #context: SourceContext;
  #stamp: string | undefined;
  #reading: ReadSecrets | undefined;
  #checked = Number.NEGATIVE_INFINITY;

  constructor(path: string, context: SourceContext) {
    this.name = basename(path);
    this.#path = path;
    this.#context = context;
  }

  ready(): readonly Secret[] {
    const reading = this.#newest();
    if ("failure" in reading) throw reading.failure;
    return reading.secrets;
  }

  async read(): Promise<readonly Secret[]> {
    return this.ready();
  }

  refused(): void {
    this.#checked = Number.NEGATIVE_INFINITY;
  }

  #newest(): ReadSecrets {
    const at = this.#context.now();
    if (this.#reading !== undefined && at - this.#checked < LIMITS.settingsCheckMs && at >= this.#checked)
      return this.#reading;
    this.#checked = at;
    const stamp = stampOf(this.#path);
    if (this.#reading === undefined || stamp === undefined || stamp !== this.#stamp) this.#reading = this.#look();
    this.#stamp = stamp;
    return this.#reading;
  }

  #look(): ReadSecrets {
    try {
      const { text, mode, uid } = readBounded(this.#path, LIMITS.credentialBytes);
      // Checked before anything is read: what others can read may be known to them already.
      if ((mode & 0o077) !== 0)
        return this.#bad(`others on this machine have a right to the file ${this.name}: chmod 600 ${this.name}`);
      if (uid !== 0 && uid !== (process.getuid?.() ?? uid))
        return this.#bad(
          `the file ${this.name} belongs to another user: chown ${process.getuid?.() ?? ""} ${this.name}`,
        );
      return this.#parse(text);
    } catch (error) {
      if (error instanceof Failure)
        return this.#bad(`the file ${this.name} must be a regular file of at most ${LIMITS.credentialBytes} bytes`);
      const { code } = error as NodeJS.ErrnoException;
      return this.#bad(
        code === "ENOENT"
          ? `the file ${this.name} does not exist`
          : `the file ${this.name} cannot be read (${code ?? "?"})`,
      );
    }
  }

  #parse(text: string): ReadSecrets {
    const keys = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    if (keys.length === 0) return this.#bad(`the file ${this.name} holds no key`);
    if (keys.length > LIMITS.credentialsPerProvider)
      return this.#bad(`the file ${this.name} holds more than ${LIMITS.credentialsPerProvider} keys`);
    for (const [index, key] of keys.entries()) {
      const problem = problemOf(key);
      if (problem !== undefined) return this.#bad(`key ${index + 1} of the file ${this.name} ${problem}`);
    }
    const named = (index: number): string => (keys.length === 1 ? this.name : `${this.name}#${index + 1}`);
    return { secrets: keys.map((value, index) => ({ name: named(index), value })) };
  }

  #bad(what: string): ReadSecrets {
    return { failure: unusable(this.#context, what) };
  }
}

/** Runs once for all waiting callers; its key or its failure is cached for a while. */
class CommandSource implements KeySource {
  readonly name = "credential_command";
  readonly #command: string | readonly string[];
  readonly #context: SourceContext;
  #running: Promise<ReadSecrets> | undefined;
  #reading: ReadSecrets | undefined;
  #readAt = 0;
  #isRefused = false;

  constructor(command: string | readonly string[], context: SourceContext) {
    this.#command = command;
    this.#context = context;
  }

  ready(): readonly Secret[] | undefined {
    const reading = this.#reading;
    if (reading === undefined) return undefined;
    const age = this.#context.now() - this.#readAt;
    const isShort = "failure" in reading || this.#isRefused;
    if (age < 0 || age >= (isShort ? LIMITS.credentialAgainMs : LIMITS.credentialCacheMs)) return undefined;
    return answer(reading);
  }

  async read(): Promise<readonly Secret[]> {
    const known = this.ready();
    if (known !== undefined) return known;
    this.#running ??= this.#run();
    return answer(await this.#running);
  }

  refused(): void {
    this.#isRefused = true;
  }

  async #run(): Promise<ReadSecrets> {
    const { environment, signal } = this.#context;
    const outcome = await runCommand({ command: this.#command, environment, signal });
    this.#reading = this.#readingOf(outcome);
    this.#readAt = this.#context.now();
    this.#isRefused = false;
    this.#running = undefined;
    return this.#reading;
  }

  #readingOf(outcome: CommandOutcome): ReadSecrets {
    const bad = (what: string): ReadSecrets => ({ failure: unusable(this.#context, `its credential_command ${what}`) });
    if (!outcome.ok) return bad(outcome.why);
    const value = outcome.output.trim();
    if (value === "") return bad("printed nothing");
    if (value.includes("\n")) return bad("printed more than one line");
    const problem = problemOf(value);
    return problem === undefined ? { secrets: [{ name: this.name, value }] } : bad(`printed a key that ${problem}`);
  }
}

function answer(reading: ReadSecrets): readonly Secret[] {
  if ("failure" in reading) throw reading.failure;
  return reading.secrets;
}
