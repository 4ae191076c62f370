import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, MODEL_PATH } from "../protocol/index.ts";
import type { Guard } from "./guard.ts";
import type { SurfaceOptions } from "./surface.ts";

/** Whether a request is for the models: of a program with an API key. */
export function isModelRequest({ url = "" }: IncomingMessage): boolean {
  const after = url[MODEL_PATH.length];
  return url.startsWith(MODEL_PATH) && (after === undefined || after === "/" || after === "?");
}

/** Passes it to the model proxy, which answers in the format of the request, also what is refused here. */
export function answerModelRequest(
  { gateway }: SurfaceOptions,
  guard: Guard,
  [request, response]: readonly [IncomingMessage, ServerResponse],
): void {
  const failure = refusalOf(guard, request);
  const seconds = (failure?.details as { readonly retry_after_s?: number } | undefined)?.retry_after_s;
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1_000;
  const refusal = failure === undefined ? undefined : { failure, retryAfterMs };
  gateway.keys.handle(request, response, { prefix: MODEL_PATH, refusal });
}

function refusalOf(guard: Guard, request: IncomingMessage): Failure | undefined {
  try {
    guard.checkModelRequest(request);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
