import type { Role } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

/** What each role may do, in words, the most permissive last. */
export const ROLES: readonly { readonly role: Role; readonly may: string; readonly mayNot: string }[] = [
  {
    role: "visitor",
    may: t("For people on a web page: starts sessions with that page’s tools, and answers for these alone."),
    mayNot: t("Sees nobody else’s sessions and nothing of the server. Lives an hour unless you say otherwise."),
  },
  {
    role: "issuer",
    may: t("For the server behind a web page: makes tokens for its visitors, within the limits set here."),
    mayNot: t("Does nothing else."),
  },
  {
    role: "viewer",
    may: t("Sees all sessions, approvals, usage, the policy, providers and the audit log."),
    mayNot: t("Starts nothing, decides nothing, changes nothing."),
  },
  {
    role: "agent",
    may: t("For programs: starts and controls its own sessions, and sees only them and what they cost."),
    mayNot: t("Approves nothing, raises no limit, and never sees anybody else’s work."),
  },
  {
    role: "operator",
    may: t("Starts and controls all sessions, decides approvals, raises limits within the policy, tests providers."),
    mayNot: t("Does not change the policy. Makes tokens for no more than it may do itself."),
  },
  {
    role: "admin",
    may: t("Everything: also changes the policy, makes and removes tokens, raises every limit."),
    mayNot: "",
  },
];

/** The address that signs a browser in. */
export function linkFor(origin: string, token: string): string {
  return `${origin}/?token=${encodeURIComponent(token)}`;
}
