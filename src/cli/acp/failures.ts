import { RequestError } from "@agentclientprotocol/sdk";
import { Failure } from "../../protocol/index.ts";

const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;

/** A refusal for an editor: our message, and our code beside its own. */
export function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Failure))
    return new RequestError(INTERNAL, error instanceof Error ? error.message : "something went wrong", {
      code: "internal",
    });
  const data = { code: error.code };
  switch (error.code) {
    case "not_found":
      return new RequestError(RequestError.resourceNotFound().code, error.message, data);
    case "unauthenticated":
      return new RequestError(RequestError.authRequired().code, error.message, data);
    case "invalid_request":
    case "workspace_missing":
    case "unsupported":
    case "payload_too_large":
    case "cursor_invalid":
    case "forbidden":
      return new RequestError(INVALID_PARAMS, error.message, data);
    default:
      return new RequestError(INTERNAL, error.message, data);
  }
}
