import { z } from "zod";
import type { ErrorDetail } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { SandboxKind } from "./walls.ts";

const length = z.coerce.number().int().min(1).max(LIMITS.shellSize);

/** Characters across and down. */
export const ShellSize = z.object({ columns: length, rows: length }).strict();
export type ShellSize = z.infer<typeof ShellSize>;

/** The address of a terminal: in which session it opens, and how large it is. */
export const ShellQuery = ShellSize.extend({ session_id: z.string().min(1).max(100) }).strict();

/** What a person's terminal sends. */
export const ShellInput = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input"), data: z.string().max(LIMITS.shellInputChars) }).strict(),
  ShellSize.extend({ type: z.literal("resize") }).strict(),
]);
export type ShellInput = z.infer<typeof ShellInput>;

/** What it gets. `ended` is the last message; without a `code` the program did not end by itself. */
export type ShellOutput =
  | { readonly type: "opened"; readonly shell_id: string; readonly sandbox: SandboxKind; readonly workspace: string }
  | { readonly type: "output"; readonly data: string }
  | { readonly type: "ended"; readonly code?: number | undefined; readonly reason: string }
  | { readonly type: "refused"; readonly error: ErrorDetail };
