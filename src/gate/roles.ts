import type { Role } from "../protocol/index.ts";

const CAPABILITIES = [
  "session.create",
  "session.read",
  "session.control",
  "session.delete",
  /** Showing a session to people without a token, by a link. */
  "session.share",
  /** Browsing for a workspace, and for what a session can start from. */
  "workspace.choose",
  /** The names of the files of a session's workspace. */
  "workspace.read",
  /** Their contents. */
  "workspace.open",
  /** A terminal among the processes of a session. */
  "shell.use",
  "approval.read",
  "approval.decide",
  /** Answering at all: everyone who may decide, and agents where the policy lets them answer for sessions they started. */
  "approval.answer",
  /** Applying, committing, discarding and rewinding what a session changed. */
  "changes.decide",
  /** Pushing commits and opening pull requests, with the logins of the server's user. */
  "changes.publish",
  "policy.read",
  "policy.write",
  "policy.test",
  "token.manage",
  "token.issue",
  /** API keys for programs that are no sessions. */
  "key.manage",
  "audit.read",
  "usage.read",
  "budget.raise",
  "metrics.read",
  "provider.read",
  "provider.test",
  "template.write",
  /** Schedules and webhooks, which start sessions by themselves. */
  "trigger.manage",
  /** Being told of questions and ends, in a browser of one's own. */
  "notification.use",
  /** Projects of the workbench: opening them. */
  "project.read",
  /** Saving, renaming and deleting them. */
  "project.write",
  "connection.use",
  "connection.write",
  /** Using the key that this server keeps for the caller. */
  "identity.use",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** `all`: everybody's. `own`: only sessions it started, tokens it made, and database connections that name its role. */
export type Scope = "all" | "own" | "no";

function every(scope: Scope): Readonly<Record<Capability, Scope>> {
  return Object.fromEntries(CAPABILITIES.map((capability) => [capability, scope])) as Record<Capability, Scope>;
}
const EVERYTHING = every("all");
const NOTHING = every("no");

/** What each role may do. An agent never decides on its own calls, never changes what it may do, and sees nobody else's work. */
export const ROLE_CAN: Readonly<Record<Role, Readonly<Record<Capability, Scope>>>> = {
  admin: EVERYTHING,
  operator: {
    ...EVERYTHING,
    "session.delete": "own",
    "policy.write": "no",
    "token.manage": "own",
    "key.manage": "own",
    "notification.use": "own",
    "project.write": "own",
    "connection.write": "no",
  },
  agent: {
    ...NOTHING,
    "session.create": "own",
    "session.read": "own",
    "session.control": "own",
    "workspace.choose": "own",
    "workspace.read": "own",
    "approval.read": "own",
    "approval.answer": "own",
    "policy.read": "all",
    "policy.test": "all",
    "usage.read": "own",
    "project.read": "own",
    "project.write": "own",
    "connection.use": "own",
    "identity.use": "own",
  },
  viewer: {
    ...EVERYTHING,
    "session.create": "no",
    "workspace.choose": "no",
    "workspace.open": "no",
    "shell.use": "no",
    "budget.raise": "no",
    "session.control": "no",
    "session.delete": "no",
    "session.share": "no",
    "approval.decide": "no",
    "approval.answer": "no",
    "changes.decide": "no",
    "changes.publish": "no",
    "policy.write": "no",
    "token.manage": "no",
    "token.issue": "no",
    "key.manage": "no",
    "provider.test": "no",
    "template.write": "no",
    "trigger.manage": "no",
    "notification.use": "own",
    "project.write": "no",
    "connection.use": "own",
    "connection.write": "no",
    "identity.use": "no",
  },
  // It answers questions about its own page's tools, if its profile says so.
  visitor: {
    ...NOTHING,
    "session.create": "own",
    "session.read": "own",
    "session.control": "own",
    "approval.read": "own",
    "approval.decide": "own",
    "approval.answer": "own",
  },
  issuer: { ...NOTHING, "token.issue": "own" },
};

export function may(role: Role, capability: Capability): Scope {
  return ROLE_CAN[role][capability];
}
