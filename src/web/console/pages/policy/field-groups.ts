import type { FieldName } from "./fields.ts";
import { t } from "../../../ui/language/t.ts";

/** In page order. A test checks that all fields are included. */
export const FIELD_GROUPS: readonly { readonly title: string; readonly fields: readonly FieldName[] }[] = [
  { title: t("Rules"), fields: ["allow", "ask", "ask_only_listed", "deny"] },
  {
    title: t("Autonomy and approvals"),
    fields: [
      "autonomy",
      "max_autonomy",
      "for_operators",
      "for_agents",
      "client_may_choose",
      "visitor_may_approve",
      "approvers",
      "unattended",
      "approval_timeout_ms",
    ],
  },
  {
    title: t("Tools and access"),
    fields: [
      "tools",
      "hooks",
      "web_hosts",
      "browser",
      "mcp_servers",
      "mcp_commands",
      "mcp_hosts",
      "mcp_sampling",
      "extra_read",
      "instructions",
      "repository_context",
      "repository_programs",
    ],
  },
  {
    title: t("Walls"),
    fields: [
      "sandbox",
      "min_sandbox",
      "network",
      "egress_hosts",
      "workspace_mode",
      "repo_filter",
      "review",
      "allowed_review",
    ],
  },
  {
    title: t("Models"),
    fields: ["allowed_providers", "provider_hosts", "allowed_models", "blocked_models", "allow_unmetered"],
  },
  {
    title: t("Money"),
    fields: [
      "max_cost_microusd",
      "default_max_cost_microusd",
      "max_cost_microusd_per_tick",
      "max_cost_microusd_per_day",
      "max_cost_microusd_per_agent",
      "approval_threshold_microusd",
      "budget_approvers",
      "require_max_cost",
    ],
  },
  {
    title: t("Limits"),
    fields: [
      "max_turns",
      "max_concurrent",
      "max_context_tokens",
      "max_job_time_ms",
      "max_job_memory_mib",
      "session_rate",
      "agent_rate",
      "require_idempotency",
    ],
  },
];
