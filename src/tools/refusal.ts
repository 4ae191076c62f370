import { types } from "node:util";

/** Why something cannot be done as asked, in words for the model. */
export interface ToolRefusal {
  readonly refused: string;
  /** It changed since the call was permitted: it may be asked about again. */
  readonly changed?: true;
}

export function isRefusal(value: unknown): value is ToolRefusal {
  return typeof value === "object" && value !== null && "refused" in value;
}

export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}

/** `ENOENT` and similar; empty when it is not a system error. Also for errors from another realm. */
export function systemCode(error: unknown): string {
  return types.isNativeError(error) && "code" in error && typeof error.code === "string" ? error.code : "";
}
