import { isIP, type LookupFunction } from "node:net";
import { Agent, fetch } from "undici";
import type { FetchLike } from "@modelcontextprotocol/client";
import { hostName, isPrivateAddress, publicAddress } from "../network/index.ts";
import { LIMITS } from "../protocol/index.ts";
import type { ServerWay } from "./definition.ts";

const EVENTS = "text/event-stream";
const SETTING = "mcp_hosts of the policy's profile";
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface RemoteFetch {
  readonly fetch: FetchLike;
  close(): Promise<void>;
}

type RemoteWay = Extract<ServerWay, { kind: "http" | "sse" }>;

interface RemoteReach {
  readonly addressOf?: typeof publicAddress | undefined;
  /** `authorization`: other origins too, as a login needs them, by TLS and on the open internet. Absent: only the server's own origin. */
  readonly reach?: "authorization" | undefined;
  /** Sees each response before the server's caller does. A rejection is the caller's. */
  readonly look?: ((response: Response) => Promise<void>) | undefined;
}

/**
 * Requests to one remote server and to no other origin, unless a login needs another one. A name is resolved here, for each connection, and the connection goes to that
 * address: a private one counts only where the host was named. Each message that comes back is bounded.
 */
export function openRemoteFetch(
  { url, rule }: Pick<RemoteWay, "url" | "rule">,
  { addressOf = publicAddress, reach, look }: RemoteReach = {},
): RemoteFetch {
  const own = hostName(url);
  const ruleFor = (host: string): RemoteWay["rule"] => (host === own ? rule : "matched");
  const lookup: LookupFunction = (host, options, answer) => {
    void addressOf(host, ruleFor(host), SETTING).then((found) => {
      if ("refused" in found) answer(new Error(found.refused), "");
      else if (options.all === true) answer(null, [found]);
      else answer(null, found.address, found.family);
    });
  };
  const agent = new Agent({
    connect: { lookup, timeout: LIMITS.mcpConnectMs },
    headersTimeout: LIMITS.mcpSilentMs,
    // A stream for what the server wants to say may be silent for long.
    bodyTimeout: 0,
    maxResponseSize: -1,
  });
  return {
    fetch: async (target, init) => {
      const asked = new URL(target);
      const host = hostName(asked);
      if (asked.origin !== url.origin && (reach === undefined || (host !== own && asked.protocol !== "https:")))
        throw new Error(`the server at ${url.origin} leads to ${asked.origin}, which was not named`);
      if (isIP(host) !== 0 && ruleFor(host) !== "named" && isPrivateAddress(host))
        throw new Error(
          `${host} is not on the open internet; an admin can allow it by naming exactly this host in ${SETTING}`,
        );
      const request = { ...init, dispatcher: agent, redirect: "manual" } as Parameters<typeof fetch>[1];
      // Undici's own types and those of the platform name the same objects.
      const response = (await fetch(asked, request)) as unknown as Response;
      await look?.(response);
      return bounded(response, reach === undefined ? LIMITS.mcpMessageBytes : LIMITS.mcpLoginBytes);
    },
    close: () => agent.destroy(),
  };
}

/** An event of a stream, or a whole body, may have so many bytes. */
function bounded(response: Response, most: number): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.toLowerCase().startsWith(EVENTS) === true;
  const count = isStream ? eventBytes() : bodyBytes();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (count(chunk) > most) controller.error(new Error(`the server sent a message of more than ${most} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function bodyBytes(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** The bytes since the last empty line, which ends an event. */
function eventBytes(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let isLineEmpty = true;
  return (chunk) => {
    for (const byte of chunk) {
      bytes += 1;
      if (byte === LINE_FEED) {
        if (isLineEmpty) bytes = 0;
        isLineEmpty = true;
      } else if (byte !== CARRIAGE_RETURN) isLineEmpty = false;
    }
    return bytes;
  };
}
