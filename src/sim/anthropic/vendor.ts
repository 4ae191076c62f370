import type { Fields, Vendor } from "../wire.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

export const ANTHROPIC: Vendor = {
  idHeader: "request-id",
  errorBody: ({ status, type, message, code }, requestId) => ({
    type: "error",
    error: {
      type: type ?? errorType(status),
      message,
      ...(code === undefined ? {} : { details: { error_code: code } }),
    },
    request_id: requestId,
  }),
  model,
  models: (ids) => ({ data: ids.map(model), has_more: false, first_id: ids.at(0), last_id: ids.at(-1) }),
};

function model(id: string): Fields {
  return { type: "model", id, display_name: "Sallyport demo model (scripted)", created_at: "2025-01-01T00:00:00Z" };
}
