import { StreamFailure } from "../failure.ts";
import type { WireFields } from "./wire.ts";

/** The fields of an object; none of anything else. */
export function fields(value: unknown): WireFields {
  return typeof value === "object" && value !== null ? (value as WireFields) : {};
}

export function list(value: unknown): readonly WireFields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

/** A text that must be there. */
export function text(of: WireFields, name: string): string {
  const value = of[name];
  if (typeof value !== "string") throw new StreamFailure(`an event lacks ${name}`);
  return value;
}

/** A text; empty where there is none. */
export function words(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A position that must be there. */
export function position(of: WireFields, name: string): number {
  const value = of[name];
  if (typeof value !== "number") throw new StreamFailure(`an event lacks ${name}`);
  return value;
}

export function count(value: unknown): number {
  return typeof value === "number" && value >= 0 ? Math.floor(value) : 0;
}
