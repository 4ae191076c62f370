import { defined, LIMITS } from "../../protocol/index.ts";
import type { StoreReader } from "../../store/index.ts";
import type { Caller } from "./access.ts";

/** The caller behind a token's id, for what was started with it and goes on by itself. Undefined: the token was deleted or has expired. */
export async function storedCaller(
  read: Pick<StoreReader, "principal">,
  token_id: string,
  now: number,
): Promise<Caller | undefined> {
  const row = await read.principal(token_id);
  if (row === undefined || (row.expires_at !== undefined && now >= row.expires_at)) return undefined;
  const parents: Caller["token"]["parents"][number][] = [];
  for (let next = row.made_with; next !== undefined && parents.length < LIMITS.tokenDepth;) {
    const parent = await read.principal(next);
    // A token ends with the one that it was made with.
    if (parent === undefined || (parent.expires_at !== undefined && now >= parent.expires_at)) return undefined;
    parents.unshift({ id: parent.id, bounds: parent.bounds });
    next = parent.made_with;
  }
  const token = { id: row.id, bounds: row.bounds, parents, ...defined({ expires_at: row.expires_at }) };
  return { id: row.principal_id, name: row.name, role: row.role, token };
}
