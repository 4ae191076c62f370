import type { ApiError, Fields, Vendor } from "../wire.ts";

/** Seconds since the epoch. Constant, because answers must be deterministic. */
export const CREATED = 1_735_689_600;

const CODES: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  429: "rate_limit_exceeded",
  503: "server_is_overloaded",
  529: "server_is_overloaded",
};

export function errorFields({ status, type, message, param, code }: ApiError): Fields {
  return {
    message,
    type: type ?? errorType(status),
    param: param ?? null,
    // A type from a script serves as both: `insufficient_quota`, `context_length_exceeded`.
    code: code ?? type ?? CODES[status] ?? null,
  };
}

function errorType(status: number): string {
  if (status === 429) return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

export const OPENAI: Vendor = {
  idHeader: "x-request-id",
  errorBody: (error) => ({ error: errorFields(error) }),
  model,
  models: (ids) => ({ object: "list", data: ids.map(model) }),
};

function model(id: string): Fields {
  return { id, object: "model", created: CREATED, owned_by: "sallyport" };
}
