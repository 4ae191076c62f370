import type { IncomingMessage } from "node:http";
import { Failure, ShellInput, ShellQuery, type ShellOutput } from "../protocol/index.ts";
import type { Caller, SessionShell } from "../sessions/index.ts";
import type { SocketConnection } from "./connection.ts";
import { failureOf } from "./failure-of.ts";
import type { SurfaceOptions } from "./surface.ts";

/** The WebSocket close code for a normal end. */
const CLOSE_DONE = 1000;
const encoder = new TextEncoder();

interface ShellPeer {
  readonly caller: Caller;
  readonly connection: SocketConnection;
  readonly request: IncomingMessage;
}

/** `/api/shell`: a person's terminal in a session's sandbox. It ends when the socket does. */
export class ShellSocket {
  readonly #options: Pick<SurfaceOptions, "gateway" | "log">;
  readonly #caller: Caller;
  readonly #connection: SocketConnection;

  constructor(options: Pick<SurfaceOptions, "gateway" | "log">, { caller, connection, request }: ShellPeer) {
    this.#options = options;
    this.#caller = caller;
    this.#connection = connection;
    const opened = this.#open(new URLSearchParams(request.url?.split("?", 2)[1] ?? ""));
    void opened.then((shell) => this.#follow(shell));
    connection.listen(
      async (message) => {
        const shell = await opened;
        if (shell !== undefined) await this.#take(shell, message);
      },
      (failure) => this.#refuse(failure),
    );
  }

  /** Undefined: it was refused, or the person is gone. */
  async #open(query: URLSearchParams): Promise<SessionShell | undefined> {
    const { closed } = this.#connection;
    try {
      const parsed = ShellQuery.safeParse(Object.fromEntries([...query].filter(([name]) => name !== "token")));
      if (!parsed.success)
        throw new Failure("invalid_request", "connect with session_id, columns and rows in the address");
      const { session_id, ...size } = parsed.data;
      const shell = await this.#options.gateway.shells.open(this.#caller, session_id, size);
      const end = (): void => void shell.close("the connection was closed");
      closed.addEventListener("abort", end, { once: true });
      if (closed.aborted) end();
      return shell;
    } catch (error) {
      this.#refuse(error);
      this.#connection.end(CLOSE_DONE, "refused");
      return undefined;
    }
  }

  async #follow(shell: SessionShell | undefined): Promise<void> {
    if (shell === undefined) return;
    const { id, sandbox, workspace } = shell;
    const { closed } = this.#connection;
    this.#say({ type: "opened", shell_id: id, sandbox, workspace });
    try {
      // Waits for the reader, so that a program that writes too much waits too.
      for await (const data of shell.output()) await this.#connection.push([frame({ type: "output", data })], closed);
      const code = await shell.ended;
      this.#say({ type: "ended", reason: "The shell has ended.", ...(code === undefined ? {} : { code }) });
    } catch (error) {
      this.#options.log.warn({ err: error, shell_id: id }, "a terminal ended early");
    }
    this.#connection.end(CLOSE_DONE, "the shell has ended");
  }

  async #take(shell: SessionShell, raw: unknown): Promise<void> {
    const parsed = ShellInput.safeParse(raw);
    if (!parsed.success)
      throw new Failure("invalid_request", "send {type: input, data} or {type: resize, columns, rows}");
    const message = parsed.data;
    if (message.type === "input") await shell.type(message.data);
    else await shell.resize(message);
  }

  #refuse(error: unknown): void {
    const failure = failureOf(error);
    if (failure !== error) this.#options.log.error({ err: error }, "a terminal failed");
    this.#say({ type: "refused", error: failure.toBody().error });
  }

  #say(message: ShellOutput): void {
    this.#connection.say(message);
  }
}

function frame(message: ShellOutput): { readonly bytes: Uint8Array } {
  return { bytes: encoder.encode(JSON.stringify(message)) };
}
