import type { Role } from "../protocol/index.ts";

const CAPABILITIES = [
  "session.create",
  "session.read",
  "session.control",
  "session.delete",
  "approval.read",
  "approval.decide",
  "policy.read",
  "policy.write",
  "policy.test",
  "token.manage",
  "audit.read",
  "usage.read",
  "budget.raise",
  "metrics.read",
  "provider.read",
  "provider.test",
  "template.write",
  "connection.use",
  "connection.write",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** `all`: everybody's; `own`: only of sessions that it started itself, and of database connections that name its role. */
export type Scope = "all" | "own" | "no";

const EVERYTHING: Readonly<Record<Capability, Scope>> = {
  "session.create": "all",
  "session.read": "all",
  "session.control": "all",
  "session.delete": "all",
  "approval.read": "all",
  "approval.decide": "all",
  "policy.read": "all",
  "policy.write": "all",
  "policy.test": "all",
  "token.manage": "all",
  "audit.read": "all",
  "usage.read": "all",
  "budget.raise": "all",
  "metrics.read": "all",
  "provider.read": "all",
  "provider.test": "all",
  "template.write": "all",
  "connection.use": "all",
  "connection.write": "all",
};

/** What each role may do. An agent never approves, never changes what it may do, and sees nobody else's work. */
export const ROLE_CAN: Readonly<Record<Role, Readonly<Record<Capability, Scope>>>> = {
  admin: EVERYTHING,
  operator: {
    ...EVERYTHING,
    "session.delete": "own",
    "policy.write": "no",
    "token.manage": "no",
    "connection.write": "no",
  },
  agent: {
    "session.create": "own",
    "session.read": "own",
    "session.control": "own",
    "session.delete": "no",
    "approval.read": "own",
    "approval.decide": "no",
    "policy.read": "all",
    "policy.write": "no",
    "policy.test": "all",
    "token.manage": "no",
    "audit.read": "no",
    "usage.read": "own",
    "budget.raise": "no",
    "metrics.read": "no",
    "provider.read": "no",
    "provider.test": "no",
    "template.write": "no",
    "connection.use": "own",
    "connection.write": "no",
  },
  viewer: {
    ...EVERYTHING,
    "session.create": "no",
    "budget.raise": "no",
    "session.control": "no",
    "session.delete": "no",
    "approval.decide": "no",
    "policy.write": "no",
    "token.manage": "no",
    "provider.test": "no",
    "template.write": "no",
    "connection.use": "own",
    "connection.write": "no",
  },
};

export function may(role: Role, capability: Capability): Scope {
  return ROLE_CAN[role][capability];
}
