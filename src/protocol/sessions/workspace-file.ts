import { z } from "zod";

/** A file of a session's workspace. */
export const WorkspaceFile = z.object({
  /** Relative to the workspace. */
  path: z.string(),
  size: z.number().int(),
  /** Absent: it is no text. */
  text: z.string().optional(),
  /** Of a file that is no text. */
  base64: z.string().optional(),
});
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;
