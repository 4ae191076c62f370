import {
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";

const INVALID: number = ProtocolErrorCode.InvalidParams;

/**
 * Revisions up to 2025-11-25 have their own code for a missing resource. The library sends the newer code to everybody; it marks such a
 * refusal by data that is only an address.
 */
export function inOlderCodes(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.code !== INVALID) return message;
  const fields = Object.keys(message.error.data ?? {});
  if (fields.length !== 1 || fields[0] !== "uri") return message;
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } };
}

/** The transport to clients that open an MCP session first. */
export class OlderHttpTransport extends WebStandardStreamableHTTPServerTransport {
  override send(
    message: JSONRPCMessage,
    options?: Parameters<WebStandardStreamableHTTPServerTransport["send"]>[1],
  ): Promise<void> {
    return super.send(inOlderCodes(message), options);
  }
}
