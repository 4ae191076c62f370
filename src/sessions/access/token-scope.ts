import type { TokenBounds, TokenParent } from "../../protocol/index.ts";

/** What a token may do, as its sessions keep it: it holds for them after the token is gone. */
export interface TokenScope {
  readonly bounds: TokenBounds;
  /** The tokens that it was made with, the first one first. Their limits hold, too. */
  readonly parents: readonly TokenParent[];
}

/** Only role and policy limit it. */
export const UNBOUNDED: TokenScope = { bounds: {}, parents: [] };
