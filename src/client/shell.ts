import { Failure } from "../protocol/failure.ts";
import type { ShellInput, ShellOutput, ShellSize } from "../protocol/index.ts";
import { failureOf, type Socket, type SocketConstructor } from "./live-socket.ts";
import { currentToken, type TokenSource } from "./token.ts";

export interface ShellEvents {
  readonly opened: (shell: Extract<ShellOutput, { type: "opened" }>) => void;
  readonly output: (text: string) => void;
  /** Once, as the last event. `failure`: why there was none, or why it ended early. Absent: the shell has ended by itself. */
  readonly ended: (failure?: Failure) => void;
}

export interface ShellRequest {
  /** Such as `http://127.0.0.1:5353`. */
  readonly url: string;
  readonly token: TokenSource;
  readonly session: string;
  readonly size: ShellSize;
  readonly events: ShellEvents;
  /** Absent: the platform's. */
  readonly WebSocket?: SocketConstructor | undefined;
}

/** A person's terminal in a session's sandbox (`/api/shell`). It ends when this is closed; there is no coming back. */
export class ShellConnection {
  readonly #events: ShellEvents;
  #socket: Socket | undefined;
  #isOver = false;
  /** What was typed before the connection was there; undefined: it is. */
  #early: string[] | undefined = [];

  constructor(request: ShellRequest) {
    this.#events = request.events;
    void this.#connect(request).catch(() => this.#end(lost()));
  }

  type(data: string): void {
    this.#send({ type: "input", data });
  }

  resize(size: ShellSize): void {
    this.#send({ type: "resize", ...size });
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }

  async #connect({ url, token, session, size, WebSocket = platform.WebSocket }: ShellRequest): Promise<void> {
    if (WebSocket === undefined) throw new Failure("unsupported", "there is no WebSocket here");
    const { columns, rows } = size;
    const query = new URLSearchParams({ session_id: session, columns: String(columns), rows: String(rows) });
    const address = `${url.replace(/^http/, "ws").replace(/\/+$/, "")}/api/shell?${query.toString()}`;
    const known = await currentToken(token).get();
    if (this.#isOver) return;
    const socket = new WebSocket(address, [`sallyport.token.${known}`]);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      for (const early of this.#early ?? []) socket.send(early);
      this.#early = undefined;
    });
    socket.addEventListener("message", (event) => this.#take(String((event as { readonly data: unknown }).data)));
    socket.addEventListener("close", () => this.#end(lost()));
    // A browser gives no details here; `close` follows.
    socket.addEventListener("error", () => undefined);
  }

  #send(message: ShellInput): void {
    if (this.#isOver) return;
    const text = JSON.stringify(message);
    if (this.#early === undefined) this.#socket?.send(text);
    else this.#early.push(text);
  }

  #take(text: string): void {
    if (this.#isOver) return;
    const message = JSON.parse(text) as ShellOutput;
    switch (message.type) {
      case "opened":
        return this.#events.opened(message);
      case "output":
        return this.#events.output(message.data);
      case "ended":
        return this.#end();
      case "refused":
        return this.#end(failureOf({ ...message }));
    }
  }

  #end(failure?: Failure): void {
    if (this.#isOver) return;
    this.close();
    this.#events.ended(failure);
  }
}

const platform = globalThis as unknown as { readonly WebSocket?: SocketConstructor };

function lost(): Failure {
  return new Failure("internal", "the connection to the terminal was lost, and what ran in it was ended");
}
