/** Bounds of what a program adds to the gateway that it opened; a part of LIMITS. */
export const EMBEDDING_LIMITS = {
  /** Hooks of one gateway, and names and globs of tools that one of them judges. */
  toolHooks: 50,
  hookTools: 200,
  /** How long a hook may take for one call. */
  hookMs: 10_000,
  /** Standard input of `sallyport hook`. */
  hookInputBytes: 33_554_432,
} as const;
