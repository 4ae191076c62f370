import type { TokenBounds, TokenParent } from "../../protocol/index.ts";

/** What a token may do, as stored with its sessions: it holds for them after the token is gone. */
export interface TokenScope {
  readonly bounds: TokenBounds;
  /** The tokens from which it was derived, the first one first. Their limits hold too. */
  readonly parents: readonly TokenParent[];
}

/** Only role and policy limit it. */
export const UNBOUNDED: TokenScope = { bounds: {}, parents: [] };
