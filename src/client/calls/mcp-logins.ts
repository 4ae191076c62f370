import type {
  FinishMcpLogin,
  McpLoginList,
  McpLoginStarted,
  McpLoginView,
  StartMcpLogin,
} from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";

const PATH = "/api/mcp-logins";

/** Logins at MCP servers, by OAuth. No token is ever in an answer. */
export class McpLogins {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  list(): Promise<McpLoginList> {
    return this.#call({ method: "GET", path: PATH });
  }

  start(name: string, start: StartMcpLogin): Promise<McpLoginStarted> {
    return this.#call({ method: "POST", path: `${PATH}/${encodeURIComponent(name)}`, body: start });
  }

  finish(finish: FinishMcpLogin): Promise<McpLoginView> {
    return this.#call({ method: "POST", path: PATH, body: finish });
  }

  end(name: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `${PATH}/${encodeURIComponent(name)}` });
  }
}
