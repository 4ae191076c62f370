import { LIMITS } from "../../protocol/index.ts";
import type { CallerRequest, CallerResponse } from "./caller.ts";
import type { HttpRefusal } from "../refusals.ts";

/**
 * Sends one of our own answers. If a body is still arriving, the connection closes afterwards, but only once the caller could
 * read the answer.
 */
export function sendRefusal(
  request: CallerRequest,
  response: CallerResponse,
  { status, headers, body }: HttpRefusal,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = Buffer.from(body);
  const isRead = request.complete || request.readableEnded;
  response.writeHead(status, {
    ...headers,
    "content-length": text.length,
    ...(isRead ? {} : { connection: "close" }),
  });
  // A caller that sent `Expect` has not sent its body yet.
  if (isRead || request.headers.expect !== undefined) response.end(text);
  else linger(request, response, text);
}

/** Closing at once would reset the connection of a caller that is still writing, and lose the answer. */
function linger(request: CallerRequest, response: CallerResponse, text: Buffer): void {
  response.write(text);
  let left: number = LIMITS.proxyLingerBytes;
  const end = (): void => {
    clearTimeout(timer);
    request.off("data", onData).off("end", end);
    response.end();
  };
  const onData = (piece: Buffer): void => {
    left -= piece.length;
    if (left < 0) end();
  };
  const timer = setTimeout(end, LIMITS.proxyLingerMs);
  response.once("close", () => clearTimeout(timer));
  request
    .on("data", onData)
    .once("end", end)
    .on("error", () => undefined);
}

/** Breaks an answer off so that the caller notices, but only after its last bytes have gone out. */
export function breakOff(response: CallerResponse, rest: Buffer | undefined): void {
  if (rest !== undefined) response.write(rest);
  response.socket?.destroySoon();
  const timer = setTimeout(() => response.destroy(), LIMITS.proxyLingerMs);
  response.once("close", () => clearTimeout(timer));
}
