import type { IncomingMessage, ServerResponse } from "node:http";
import { SIM_LIMITS } from "./limits.ts";
import { ApiError } from "./wire.ts";

export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > SIM_LIMITS.bodyBytes) throw new ApiError(413, "Request exceeds the maximum size");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "The request body is not valid JSON");
  }
}

/** Lower-case names; several values of one name are joined by commas. */
export function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}
