import { openTerminal, type Sandbox, type SandboxTerminal } from "../../../sandbox/index.ts";
import { Failure, LIMITS, toolsWith, type SandboxKind, type ShellSize } from "../../../protocol/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../../access/access.ts";
import { offeredTools } from "../../core/host.ts";
import type { Session } from "../../core/session.ts";
import { isFinal } from "../../core/state.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { OpenShells, type OpenShell } from "../../workspace/open-shells.ts";
import { ShellRecording } from "../../workspace/shell-recording.ts";

/** Tools that run commands. */
const COMMANDS = toolsWith(({ item }) => item === "command_execution");

/** A person's terminal in a session's sandbox. */
export interface SessionShell {
  readonly id: string;
  readonly sandbox: SandboxKind;
  readonly workspace: string;
  /** Ends with the shell. Must be read. */
  output(): AsyncGenerator<string>;
  type(text: string): Promise<void>;
  resize(size: ShellSize): Promise<void>;
  /** The exit code; absent: it was ended. */
  readonly ended: Promise<number | undefined>;
  /** Ends everything in it. `reason` is for the audit. */
  close(reason: string): Promise<void>;
}

/** Terminals for people, among the processes of a session and behind the same walls. What they show is recorded in the audit. */
export class ShellService {
  readonly #parts: { readonly dependencies: Dependencies; readonly registry: Registry };
  /** How many are open or being opened, by session. */
  readonly #open = new Map<string, number>();
  readonly #stored: OpenShells;

  constructor(parts: { readonly dependencies: Dependencies; readonly registry: Registry }) {
    this.#parts = parts;
    this.#stored = new OpenShells(parts.dependencies);
  }

  /** At start: writes the ends of terminals whose server was killed. */
  settle(): Promise<void> {
    return this.#stored.settle();
  }

  async open(caller: Caller, id: string, size: ShellSize): Promise<SessionShell> {
    authorize(caller, "shell.use");
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "shell.use", { state: session.state, what: `session ${id}` });
    const leave = this.#enter(id);
    try {
      await checkPolicy(session, caller);
      return await this.#start(caller, session, { size, leave });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Counts one more; the answer counts it off again, once. */
  #enter(id: string): () => void {
    const count = this.#open.get(id) ?? 0;
    if (count >= LIMITS.shellsPerSession)
      throw new Failure("limit_reached", `${LIMITS.shellsPerSession} terminals are open in this session; close one`);
    this.#open.set(id, count + 1);
    let isIn = true;
    return () => {
      const left = (this.#open.get(id) ?? 0) - (isIn ? 1 : 0);
      isIn = false;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    };
  }

  async #start(
    caller: Caller,
    session: Session,
    { size, leave }: { readonly size: ShellSize; readonly leave: () => void },
  ): Promise<SessionShell> {
    const { dependencies } = this.#parts;
    const { id: target, settings } = session.state;
    const shell_id = dependencies.newId("sh");
    const note = (details: object): Promise<void> => {
      const audited = { action: "shell.output", target, details: { shell_id, ...details } };
      return dependencies.store.commit({ audit: [auditRow(dependencies, caller, audited)] }, { untilStored: true });
    };
    const { sandbox } = await session.environment();
    const shell = { shell_id, session_id: target, by: { id: caller.id, name: caller.name, role: caller.role } };
    // Nobody types into a terminal that the audit does not know.
    await this.#stored.opened(shell, { sandbox: sandbox.kind });
    const terminal = await this.#openTerminal(sandbox, { shell, place: { cwd: settings.workspace, size } });
    const recording = new ShellRecording(dependencies.clock, note);
    let reason = "it ended";
    const ended = terminal.exit.then(async ({ code }) => {
      leave();
      const exit = code === null ? {} : { exit_code: code };
      await this.#stored.closed(shell, { reason, ...exit, ...(await recording.close()) });
      return code ?? undefined;
    });
    ended.catch((error: unknown) => dependencies.log.error({ err: error, shell_id }, "a terminal was not recorded"));
    return {
      id: shell_id,
      sandbox: sandbox.kind,
      workspace: settings.workspace,
      output: () => textOf(terminal, recording),
      type: (text) => terminal.type(text),
      resize: (next) => terminal.resize(next),
      ended,
      close: async (why) => {
        reason = why;
        await terminal.kill();
      },
    };
  }

  /** One that does not start has an end in the audit, too. */
  async #openTerminal(
    sandbox: Sandbox,
    { shell, place }: { readonly shell: OpenShell; readonly place: Parameters<typeof openTerminal>[1] },
  ): Promise<SandboxTerminal> {
    try {
      return await openTerminal(sandbox, place);
    } catch (error) {
      await this.#stored.closed(shell, { reason: "it did not start" });
      throw error;
    }
  }
}

/** A session whose agent may not run commands has no terminal either: people would do for it what it may not. */
async function checkPolicy(session: Session, { token }: Caller): Promise<void> {
  const { dependencies, state } = session;
  const { id, status, settings } = state;
  if (isFinal(status)) throw new Failure("session_closed", `session ${id} is ${status}; start or fork another one`);
  const { toolbox } = await session.environment();
  const instructions = { current: await session.instructions.load() };
  const offered = offeredTools({ dependencies, state, instructions }, toolbox).map(({ name }) => name);
  const own = token.bounds.tools ?? offered;
  if (!COMMANDS.some((tool) => offered.includes(tool) && own.includes(tool)))
    throw new Failure(
      "forbidden",
      `the profile ${settings.profile} gives this session no shell, so it has no terminal`,
    );
}

async function* textOf(terminal: SandboxTerminal, recording: ShellRecording): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of terminal.output) {
    const text = decoder.decode(bytes, { stream: true });
    recording.add(text);
    if (text !== "") yield text;
  }
}
