import { z } from "zod";

/** Vendors' programs whose login the model proxy can use. */
export const LoginProgram = z.enum(["claude", "codex"]);
export type LoginProgram = z.infer<typeof LoginProgram>;

/** Costs of what used a person's login of this program are estimates by the prices of its models: nobody bills them. Absent: none did. */
export const ownLogin = { own_login: LoginProgram.optional() };
