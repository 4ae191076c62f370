import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import type { PlannedRequest } from "./plan.ts";
import { bodyOf, PATHS } from "./wires.ts";

/** Where the proxy answers. */
export interface DoorAddress {
  readonly tcpUrl: string;
  readonly socketPath: string;
}

export interface Told {
  /** `left`: the caller went away as the script says; `broken`: there was no whole answer. */
  readonly end: "answered" | "left" | "broken";
  /** 0: none came. */
  readonly status: number;
  /** The proxy's own reason; absent: it was the provider who answered. */
  readonly code?: string | undefined;
  readonly body: string;
}

/** Sends one request of the script with a session's key, as a vendor's program does, and leaves when the script says so. */
export function send(
  planned: PlannedRequest,
  door: DoorAddress & { readonly key: string; readonly agents: { readonly tcp: Agent; readonly unix: Agent } },
): Promise<Told> {
  const body = bodyOf(planned);
  const byNumber = Number(planned.id.slice(1));
  const overTcp = byNumber % 2 === 0;
  const { leaving } = planned;
  return new Promise((resolve) => {
    const outgoing: ClientRequest = httpRequest(`${overTcp ? door.tcpUrl : "http://localhost"}${PATHS[planned.api]}`, {
      method: "POST",
      agent: overTcp ? door.agents.tcp : door.agents.unix,
      ...(overTcp ? {} : { socketPath: door.socketPath }),
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        ...(byNumber % 3 === 0 ? { authorization: `Bearer ${door.key}` } : { "x-api-key": door.key }),
        ...(planned.api === "messages" ? { "anthropic-version": "2023-06-01" } : {}),
      },
    });
    const leave = (status: number, text: string): void => {
      outgoing.destroy();
      resolve({ end: "left", status, body: text });
    };
    outgoing.on("error", () => resolve({ end: "broken", status: 0, body: "" }));
    outgoing.on("response", (response) => {
      if (leaving.at === "headers") leave(response.statusCode ?? 0, "");
      else read(response, planned, { leave, resolve });
    });
    if (leaving.at === "half_sent") outgoing.write(body.slice(0, body.length / 2), () => leave(0, ""));
    else if (leaving.at === "sent") outgoing.end(body, () => leave(0, ""));
    else outgoing.end(body);
  });
}

function read(
  response: IncomingMessage,
  { leaving }: PlannedRequest,
  ends: { readonly leave: (status: number, text: string) => void; readonly resolve: (told: Told) => void },
): void {
  const status = response.statusCode ?? 0;
  let text = "";
  let chunks = 0;
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    chunks += 1;
    if (leaving.at === "pieces" && chunks > leaving.pieces) ends.leave(status, text);
  });
  response.on("error", () => ends.resolve({ end: "broken", status, body: text }));
  response.on("close", () => {
    const code = response.headers["x-sallyport-code"];
    const end = response.complete ? "answered" : "broken";
    ends.resolve({ end, status, body: text, ...(typeof code === "string" ? { code } : {}) });
  });
}
