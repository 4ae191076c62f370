/** How much an agent may do unasked, from the least to the most. */
export const AUTONOMY_ORDER = ["read_only", "restricted", "supervised", "full"] as const;
