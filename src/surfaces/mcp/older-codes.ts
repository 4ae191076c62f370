import {
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";

const INVALID: number = ProtocolErrorCode.InvalidParams;

/**
 * Revisions up to 2025-11-25 have a code of their own for a resource that is not there. The library sends the code of later ones to everybody;
 * it marks such a refusal by data that is an address and nothing else.
 */
export function inOlderCodes(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.code !== INVALID) return message;
  const fields = Object.keys(message.error.data ?? {});
  if (fields.length !== 1 || fields[0] !== "uri") return message;
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } };
}

/** The way to clients that open a session of the protocol first. */
export class OlderHttpTransport extends WebStandardStreamableHTTPServerTransport {
  override send(
    message: JSONRPCMessage,
    options?: Parameters<WebStandardStreamableHTTPServerTransport["send"]>[1],
  ): Promise<void> {
    return super.send(inOlderCodes(message), options);
  }
}
