import type { Role } from "../../../../protocol/index.ts";

/** What each role may do, in words, the most permissive last. */
export const ROLES: readonly { readonly role: Role; readonly may: string; readonly mayNot: string }[] = [
  {
    role: "viewer",
    may: "Sees all sessions, approvals, usage, the policy, providers and the audit log.",
    mayNot: "Starts nothing, decides nothing, changes nothing.",
  },
  {
    role: "agent",
    may: "For programs: starts and controls its own sessions, and sees only them and what they cost.",
    mayNot: "Approves nothing, raises no limit, and never sees anybody else’s work.",
  },
  {
    role: "operator",
    may: "Starts and controls all sessions, decides approvals, raises limits within the policy, tests providers.",
    mayNot: "Does not change the policy and makes no tokens.",
  },
  {
    role: "admin",
    may: "Everything: also changes the policy, makes and removes tokens, raises every limit.",
    mayNot: "",
  },
];

/** The address that signs a browser in. */
export function linkFor(origin: string, token: string): string {
  return `${origin}/?token=${encodeURIComponent(token)}`;
}
