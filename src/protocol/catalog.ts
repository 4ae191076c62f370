import { z } from "zod";
import { type Approval, Preview, Warning } from "./sessions/approvals.ts";
import { Policy, Ruling } from "./access/policy.ts";
import { PrincipalRef, Role, TokenBounds } from "./access/principals.ts";
import { CreateSession, type SessionView } from "./sessions/sessions.ts";
import { SandboxKind } from "./sessions/walls.ts";

/** The caller and its rights. A right that is not listed is not granted. */
export const Me = z.object({
  id: z.string(),
  name: z.string(),
  role: Role,
  /** Such as `approval.decide`; `own`: only for sessions that it started itself. */
  rights: z.record(z.string(), z.enum(["all", "own"])),
  /** What the token may do at most. */
  bounds: TokenBounds,
  /** Absent: it does not expire. */
  expires_at: z.string().optional(),
});
export type Me = z.infer<typeof Me>;

/** An engine as callers see it. */
export const EngineView = z.object({
  id: z.string(),
  available: z.boolean(),
  /** What to do if it is not available. */
  advice: z.string().optional(),
  /** The command that brings its program, where one does. */
  install: z.string().optional(),
  /** The provider wires that it can use; empty: any. */
  wires: z.array(z.string()),
  /** It asks models without the model proxy: nothing limits what it spends, and policy must allow it. Absent: it does not. */
  unmetered: z.literal(true).optional(),
  capabilities: z.record(z.string(), z.boolean()),
});
export type EngineView = z.infer<typeof EngineView>;

/** A kind of sandbox as callers see it. */
export const SandboxView = z.object({
  id: SandboxKind,
  available: z.boolean(),
  /** Why it is not available, and what to do about it. */
  advice: z.string().optional(),
  /** What sessions of the default profile get that name none. Absent: no. */
  default: z.literal(true).optional(),
});
export type SandboxView = z.infer<typeof SandboxView>;

/** The folders in a folder that sessions may work in; without a path the roots. */
export const FolderList = z.object({
  /** Absolute; absent: these are the roots. */
  path: z.string().optional(),
  /** Where "up" leads; absent at a root. */
  parent: z.string().optional(),
  folders: z.array(z.object({ name: z.string(), path: z.string() })),
  truncated: z.boolean(),
  /** With the roots: where a session works that names no folder. Absent: the caller may not work there. */
  default_workspace: z.string().optional(),
});
export type FolderList = z.infer<typeof FolderList>;

/** Files of a session's workspace whose path matches a query, best first; relative to the workspace. */
export const FileList = z.object({ files: z.array(z.string()), truncated: z.boolean() });
export type FileList = z.infer<typeof FileList>;

/** A named template for new sessions, shared by everybody who may start one. */
export const Template = z.object({
  id: z.string(),
  name: z.string().min(1).max(200),
  session: CreateSession,
  updated_at: z.string(),
  updated_by: PrincipalRef,
});
export type Template = z.infer<typeof Template>;

export const SaveTemplate = z.object({ name: Template.shape.name, session: CreateSession }).strict();
export type SaveTemplate = z.infer<typeof SaveTemplate>;

/** What an approval would look like with another input, before it is given. */
export const PreviewEdit = z.object({ input: z.record(z.string(), z.unknown()) }).strict();
export type PreviewEdit = z.infer<typeof PreviewEdit>;
export const EditPreview = z.object({ preview: Preview, warnings: z.array(Warning), ruling: Ruling });
export type EditPreview = z.infer<typeof EditPreview>;

export const AuditEntry = z.object({
  id: z.string(),
  at: z.string(),
  by: PrincipalRef,
  action: z.string(),
  target: z.string(),
  details: z.unknown(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const PolicyChange = z.object({ at: z.string(), by: PrincipalRef, policy: Policy });
export type PolicyChange = z.infer<typeof PolicyChange>;

/**
 * One line of the feed: the current state of a session or an approval. Not numbered and not stored: a client that reconnects reads the lists
 * again. A session that changes often is sent at most a few times a second, and always in its last state.
 */
export type FeedFrame =
  | { readonly type: "session.changed"; readonly session: SessionView }
  | { readonly type: "approval.changed"; readonly approval: Approval };
