type Attack = (voice: object) => Iterable<string>;

/** By the program that plays them, and by their names. */
export declare const ATTACKS: Readonly<Record<"codex" | "acp" | "opencode", Readonly<Record<string, Attack>>>>;
