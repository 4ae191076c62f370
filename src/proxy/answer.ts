import { LIMITS } from "../protocol/index.ts";
import type { CallerRequest, CallerResponse } from "./caller.ts";
import type { HttpRefusal } from "./refusals.ts";

/** Sends an answer of ours. Where a body is still coming the connection ends with it, but not before the caller could read it. */
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
  // Who asked whether to send a body has not sent it.
  if (isRead || request.headers.expect !== undefined) response.end(text);
  else linger(request, response, text);
}

/** Closing at once would reset the connection under a caller who is still writing, and take the answer with it. */
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

/** Ends an answer in the middle, so that the caller sees it, but not before the last bytes of it have gone out. */
export function breakOff(response: CallerResponse, rest: Buffer | undefined): void {
  if (rest !== undefined) response.write(rest);
  response.socket?.destroySoon();
  const timer = setTimeout(() => response.destroy(), LIMITS.proxyLingerMs);
  response.once("close", () => clearTimeout(timer));
}
