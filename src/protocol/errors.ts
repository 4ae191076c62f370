import { z } from "zod";
import { ERROR_CODES } from "./failure.ts";

export { errorText, Failure } from "./failure.ts";

export const ErrorCode = z.enum(ERROR_CODES);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const ErrorDetail = z.object({
  code: ErrorCode,
  message: z.string(),
  details: z.unknown().optional(),
});
export type ErrorDetail = z.infer<typeof ErrorDetail>;

export const ErrorBody = z.object({
  error: ErrorDetail,
  /** The request's id, as in `x-request-id`; the server's log has it too. Absent if it was no HTTP request. */
  request_id: z.string().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
