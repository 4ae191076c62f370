import type { Role, TokenBounds } from "../../src/protocol/index.ts";
import type { Caller } from "../../src/sessions/index.ts";

/** A caller as a checked token makes it; without bounds only its role limits it. */
export function caller(id: string, role: Role, options: { name?: string; bounds?: TokenBounds } = {}): Caller {
  const { name = id, bounds = {} } = options;
  return { id, name, role, token: { id, bounds, parents: [] } };
}

/** The token of a session that nothing but policy and role limits. */
export const UNBOUNDED = { bounds: {}, parents: [] };
