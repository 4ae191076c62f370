import { z } from "@hono/zod-openapi";
import type { HttpApp } from "../surface.ts";
import { ErrorBody, ErrorCode, ErrorDetail, FILE_ERRNOS } from "../../protocol/index.ts";
import { httpStatus, type HttpStatus } from "../status.ts";

/** Made here, where schemas can be registered by name: protocol knows nothing about OpenAPI. */
const Refusal = z.object(ErrorBody.shape);
/** A refusal of a file: like any other, plus the file system's error. */
const FileError = z.object({ error: ErrorDetail.extend({ errno: z.enum(FILE_ERRNOS) }) });

/** The component name of each refusal. */
const NAMES = {
  400: "BadRequest",
  401: "Unauthenticated",
  402: "BudgetExceeded",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "TimedOut",
  413: "PayloadTooLarge",
  422: "IdempotencyMismatch",
  429: "TooManyRequests",
  500: "Failed",
  503: "Unavailable",
} as const satisfies Readonly<Record<HttpStatus, string>>;

type Refs<Status extends HttpStatus> = { readonly [status in Status]: { readonly $ref: string } };

/** Refusals with these statuses, by reference: their full description appears once in the document. */
export function refusalRefs<Status extends HttpStatus>(statuses: readonly Status[]): Refs<Status> {
  return refs(statuses, "");
}

/** The same for a file of a mount: the body and a header also carry its errno. */
export function fileRefusalRefs<Status extends HttpStatus>(statuses: readonly Status[]): Refs<Status> {
  return refs(statuses, "File");
}

function refs<Status extends HttpStatus>(statuses: readonly Status[], kind: string): Refs<Status> {
  const entries = statuses.map((status) => [status, { $ref: `#/components/responses/${kind}${NAMES[status]}` }]);
  return Object.fromEntries(entries) as Refs<Status>;
}

const text = (description: string, required: boolean) =>
  ({ description, required, schema: { type: "string" } }) as const;

/** Headers that a refusal with this status has. */
function headersOf(status: HttpStatus) {
  if (status === 401) return { "www-authenticate": text("How to sign in", true) };
  if (status !== 429 && status !== 503) return {};
  return { "retry-after": text("Seconds after which it may be sent again; absent: not known", false) };
}

/** Describes every refusal once, each with the codes that it may carry. */
export function registerRefusals(app: HttpApp): void {
  app.openAPIRegistry.register("Error", Refusal);
  app.openAPIRegistry.register("FileError", FileError);
  for (const [key, name] of Object.entries(NAMES)) {
    const status = Number(key) as HttpStatus;
    const codes = ErrorCode.options.filter((code) => httpStatus(code) === status).map((code) => `\`${code}\``);
    const description = `Refused: ${codes.join(", ")}`;
    const headers = headersOf(status);
    app.openAPIRegistry.registerComponent("responses", name, {
      description,
      headers,
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    });
    app.openAPIRegistry.registerComponent("responses", `File${name}`, {
      description,
      headers: { ...headers, "x-sallyport-errno": text("What a file system would say, such as ENOENT", true) },
      content: { "application/json": { schema: { $ref: "#/components/schemas/FileError" } } },
    });
  }
}
