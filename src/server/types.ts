import type { z } from "zod";
import type {
  Approval,
  CreateSession,
  CreateToken,
  Decision,
  FeedFrame,
  Log,
  PromptAccepted,
  SessionView,
  StreamFrame,
  SubmitPrompt,
  TokenCreated,
  ToolHook,
} from "../protocol/index.ts";
import type { ToolModule } from "../tools/module-tools.ts";

// Only what a program sees: none of these types leads to the gateway's own.

export interface SallyportOptions {
  /** The gateway's own folder: database, tokens, policy. Made if it is not there; one gateway at a time can have it open. */
  readonly home: string;
  /** Where sessions work that name no other folder. */
  readonly workspace: string;
  /** In the words of `sallyport.yaml`, and in its place. Absent: the file in the home folder, read again when it changes. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Variables, in the place of the process's: keys of providers, and what programs of sessions get. Absent: a standard PATH alone. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Tools that sessions have, as `mcp__<module>__<tool>`. Absent: none beside our own. */
  readonly tools?: readonly ToolModule[] | undefined;
  /** Checks before every tool call, in order, after the policy. Absent: none. */
  readonly hooks?: readonly ToolHook[] | undefined;
  /** HTTP, WebSockets and the console on this address. `port` 0: any free one. Absent: nothing listens. */
  readonly listen?: { readonly host?: string | undefined; readonly port: number } | undefined;
  /** Takes redacted lines for the operator. Absent: nobody reads them. */
  readonly log?: Log | undefined;
  /** The store can no longer write; the gateway has ended its sessions. Absent: that is only logged. */
  readonly onFatal?: ((error: Error) => void) | undefined;
}

export interface Sallyport extends AsyncDisposable {
  /** The first admin. */
  readonly admin: EmbeddedPrincipal;
  /** The first admin's token, as the file `token` in the home folder has it. */
  readonly adminToken: string;
  /** Undefined: nothing listens. */
  readonly url: string | undefined;
  /** The principal of a token. A Failure if the token is not valid. */
  principal(token: string): Promise<EmbeddedPrincipal>;
  /** Stops without ending anything: open turns and questions wait for the next start. */
  close(): Promise<void>;
}

/** What a principal may do, checked against its role, its token and the policy at each call. */
export interface EmbeddedPrincipal {
  readonly sessions: EmbeddedSessions;
  readonly approvals: EmbeddedApprovals;
  /** The journal after a seq, then live: frames end when the signal is aborted. */
  watch(session_id: string, options?: FrameOptions): AsyncIterable<StreamFrame>;
  /** Every session and approval that it may see, as they change; nothing is kept. */
  feed(options?: Pick<FrameOptions, "signal">): AsyncIterable<FeedFrame>;
  /** A token for another principal, shown once. */
  createToken(request: z.input<typeof CreateToken>): Promise<TokenCreated>;
}

export interface EmbeddedSessions {
  /** Starts a session. With the same key, a retry answers with the first one. */
  start(request: z.input<typeof CreateSession>, options?: RetryOptions): Promise<SessionView>;
  /** Resolves when the prompt is on the disk. */
  prompt(id: string, prompt: z.input<typeof SubmitPrompt>, options?: RetryOptions): Promise<PromptAccepted>;
  get(id: string): Promise<SessionView>;
  /** Ends the running turn. */
  interrupt(id: string): Promise<SessionView>;
  /** Ends the session and everything that it runs. */
  close(id: string): Promise<SessionView>;
}

export interface EmbeddedApprovals {
  /** Questions that wait for an answer, newest first, at most LIMITS.pageSizeMax. */
  pending(): Promise<readonly Approval[]>;
  /** Answers a question. `input_hash` is that of the approval that was shown. */
  decide(id: string, decision: z.input<typeof Decision>): Promise<Approval>;
}

export interface FrameOptions {
  /** Absent: from the first event. */
  readonly after?: number | undefined;
  /** Absent: until the gateway is closed, or the loop is left. */
  readonly signal?: AbortSignal | undefined;
}

export interface RetryOptions {
  /** Absent: not idempotent. */
  readonly idempotencyKey?: string | undefined;
}
