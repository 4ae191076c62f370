import { z } from "zod";

/** Where a session's programs run and its files are, weakest first. */
export const SandboxKind = z.enum(["local", "seatbelt", "bubblewrap", "container", "gvisor", "firecracker"]);
export type SandboxKind = z.infer<typeof SandboxKind>;
export const SANDBOX_ORDER: readonly SandboxKind[] = SandboxKind.options;

/** What a request may name. `auto`: the strongest of `bubblewrap` and `container` that works here, else `local`. */
export const SandboxChoice = z.enum(["auto", ...SandboxKind.options]);
export type SandboxChoice = z.infer<typeof SandboxChoice>;

/** What a session's programs can reach: everything, the model proxy and allowed hosts, or nothing but the model proxy. */
export const NetworkMode = z.enum(["host", "proxy_only", "none"]);
export type NetworkMode = z.infer<typeof NetworkMode>;

/** In which files a session works: the folder itself, a git worktree with a branch of its own, a filtered copy, or an empty folder of its own. */
export const WorkspaceMode = z.enum(["direct", "worktree", "snapshot", "empty"]);
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

/** When a person looks at what a session changes: before each edit and command, or once, at the end of a turn. */
export const ReviewMode = z.enum(["each", "at_end"]);
export type ReviewMode = z.infer<typeof ReviewMode>;

const patterns = z.array(z.string().min(1).max(500)).max(1_000);

/** Which files of a repository an agent gets to see. */
export const RepoFilterMode = z.union([
  z.enum(["none", "standard", "strict"]),
  z.object({ custom: z.object({ denylist: patterns, allowlist: patterns }).strict() }).strict(),
]);
export type RepoFilterMode = z.infer<typeof RepoFilterMode>;
