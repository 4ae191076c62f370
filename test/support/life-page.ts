import { WebSocket } from "ws";
import { LiveConnection } from "../../src/client/index.ts";
import { PAGE } from "./life-script.ts";
import { TEST_TOKEN } from "./server.ts";

const WORDS = { type: "object", properties: { word: { type: "string" } }, required: ["word"] } as const;

/** A page that offers its tools to a session and comes back whenever the server does. It counts what it runs. */
export class LifePage {
  /** What it did, in order. */
  readonly ran: string[] = [];
  readonly #live: LiveConnection;

  constructor(url: string) {
    this.#live = new LiveConnection({ url, token: TEST_TOKEN, WebSocket, window: {} });
  }

  /** Resolves when the server has its tools. */
  async offer(session: string): Promise<void> {
    const act = ({ word }: { readonly word: string }): string => {
      this.ran.push(word);
      return `the page ${word}`;
    };
    const tools = [
      { name: "act", description: "Acts.", schema: WORDS, handler: act },
      { name: "change", description: "Changes.", schema: WORDS, tier: "write" as const, handler: act },
      { name: "look", description: "Looks.", schema: WORDS, tier: "read" as const, handler: () => "seen" },
    ];
    await this.#live.offer(session, { page: PAGE, tools }).ready();
  }

  close(): void {
    this.#live.close();
  }
}
