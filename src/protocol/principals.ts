import { z } from "zod";

export const Role = z.enum(["admin", "operator", "agent", "viewer"]);
export type Role = z.infer<typeof Role>;

/** Who did something, as the journal keeps it. `system` is Sallyport itself (the reconciler, an expiry). */
export const PrincipalRef = z.object({
  id: z.string(),
  name: z.string(),
  role: z.union([Role, z.literal("system")]),
});
export type PrincipalRef = z.infer<typeof PrincipalRef>;

export const SYSTEM: PrincipalRef = { id: "system", name: "sallyport", role: "system" };

export const CreateToken = z.object({ role: Role, name: z.string().min(1).max(200) }).strict();
export type CreateToken = z.infer<typeof CreateToken>;

export const TokenView = z.object({ id: z.string(), name: z.string(), role: Role, created_at: z.string() });
export type TokenView = z.infer<typeof TokenView>;

/** The only answer that ever holds the token itself. */
export const TokenCreated = TokenView.extend({ token: z.string() });
export type TokenCreated = z.infer<typeof TokenCreated>;
