import { types } from "node:util";

/** Why something cannot be done as asked, in words for the model. */
export interface ToolRefusal {
  readonly refused: string;
  /** It is not as it was when the call was permitted: it may be asked about again. */
  readonly changed?: true;
}

export function isRefusal(value: unknown): value is ToolRefusal {
  return typeof value === "object" && value !== null && "refused" in value;
}

export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}

/** `ENOENT` and its like; empty when the error is none of the system's. Also of errors that another realm made. */
export function systemCode(error: unknown): string {
  return types.isNativeError(error) && "code" in error && typeof error.code === "string" ? error.code : "";
}
