import { z } from "zod";

/** A server of `sallyport.yaml` that is logged in to by OAuth. */
export const McpLoginView = z.object({
  name: z.string(),
  url: z.string(),
  /** Whether there is a login; it may have run out. */
  logged_in: z.boolean(),
  /** When the last token came; absent: there is none. */
  at: z.string().optional(),
  /** What it is for, as the server said; absent: it did not say. */
  scope: z.string().optional(),
});
export type McpLoginView = z.infer<typeof McpLoginView>;

export const McpLoginList = z.object({ servers: z.array(McpLoginView) });
export type McpLoginList = z.infer<typeof McpLoginList>;

/** Where a person comes back to after a login: a page of this server, or a program on the person's own machine. */
export const StartMcpLogin = z.object({ redirect_url: z.url().max(2_000) }).strict();
export type StartMcpLogin = z.infer<typeof StartMcpLogin>;

export const McpLoginStarted = z.object({
  /** Where the person goes. */
  authorization_url: z.string(),
  /** Names this login; the redirect has it too. */
  state: z.string(),
});
export type McpLoginStarted = z.infer<typeof McpLoginStarted>;

/** What the redirect had. */
export const FinishMcpLogin = z
  .object({
    state: z.string().min(1).max(200),
    code: z.string().min(1).max(4_096),
    iss: z.string().max(2_000).optional(),
  })
  .strict();
export type FinishMcpLogin = z.infer<typeof FinishMcpLogin>;
