import { WebSocket } from "ws";
import type { TestApp } from "../support/app.ts";

export type Message = Record<string, unknown> & { readonly type: string };

/** A client of document 001: says commands, remembers every message. */
export class AgentClient {
  readonly socket: WebSocket;
  readonly said: Message[] = [];
  #changed: () => void = () => undefined;

  constructor(
    app: TestApp,
    { query = "", token = app.serving.token }: { readonly query?: string; readonly token?: string } = {},
  ) {
    this.socket = new WebSocket(
      `${app.serving.url.replace("http", "ws")}/api/terminal/ws/agent?token=${token}${query}`,
    );
    this.socket.on("message", (data: Buffer) => {
      this.said.push(JSON.parse(data.toString()) as Message);
      this.#changed();
    });
  }

  say(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The next message of a type that was not taken yet. */
  async next(type: string): Promise<Message> {
    for (;;) {
      const at = this.said.findIndex((message) => message.type === type);
      if (at !== -1) return this.said.splice(0, at + 1).at(-1) as Message;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Everything up to and including the next message of a type. */
  async until(type: string): Promise<readonly Message[]> {
    for (;;) {
      const at = this.said.findIndex((message) => message.type === type);
      if (at !== -1) return this.said.splice(0, at + 1);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}
