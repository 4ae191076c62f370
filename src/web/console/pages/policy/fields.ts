import type { Profile, RateLimit } from "../../../../protocol/index.ts";

export type FieldName = keyof Profile;

interface Common {
  readonly label: string;
  readonly hint: string;
  /** What it means to leave it out. */
  readonly absent: string;
}
interface TextField extends Common {
  readonly kind: "text";
}
interface ChoiceField extends Common {
  readonly kind: "choice";
  readonly options: readonly { readonly value: string; readonly label: string }[];
}
interface ListField extends Common {
  readonly kind: "list";
  readonly example: string;
  /** An empty list is something else than none: nothing at all. */
  readonly emptyCounts?: true;
}
interface HooksField extends Common {
  readonly kind: "hooks";
}
interface AmountField extends Common {
  /** Micro-USD, written in dollars. */
  readonly kind: "dollars";
}
interface CountField extends Common {
  readonly kind: "count";
}
interface TimeField extends Common {
  /** Milliseconds, written in seconds. */
  readonly kind: "seconds";
}
interface SwitchField extends Common {
  readonly kind: "switch";
}
interface RateField extends Common {
  readonly kind: "rate";
}
export type FieldSpec =
  | TextField
  | ChoiceField
  | ListField
  | HooksField
  | AmountField
  | CountField
  | TimeField
  | SwitchField
  | RateField;

/** Which kinds of field can hold a value of this type: a wrong kind does not compile. */
type SpecFor<Value> = Value extends readonly "guarded"[]
  ? HooksField
  : Value extends readonly string[]
    ? ListField
    : Value extends number
      ? AmountField | CountField | TimeField
      : Value extends boolean
        ? SwitchField
        : Value extends RateLimit
          ? RateField
          : TextField | ChoiceField;

const AUTONOMIES = [
  { value: "read_only", label: "read only: only what allow names" },
  { value: "restricted", label: "restricted: everything is asked" },
  { value: "supervised", label: "supervised: changes are asked" },
  { value: "full", label: "full: nothing is asked" },
] as const;

/** Every setting of a profile; one that the schema has and this table lacks does not compile. */
export const PROFILE_FIELDS: { readonly [Name in FieldName]-?: SpecFor<NonNullable<Profile[Name]>> } = {
  description: { kind: "text", label: "Description", hint: "What this profile is for.", absent: "none" },
  allow: {
    kind: "list",
    label: "Allow",
    hint: "Tools or rules that run without a question. They reach no further than their words.",
    absent: "none",
    example: "Bash(npm run test:*)",
  },
  ask: {
    kind: "list",
    label: "Ask",
    hint: "Tools or rules that are always asked, also where allow names them.",
    absent: "none",
    example: "Bash(git push:*)",
  },
  deny: {
    kind: "list",
    label: "Deny",
    hint: "Tools or rules that are refused; wins over everything.",
    absent: "none",
    example: "Read(secrets/**)",
  },
  tools: {
    kind: "list",
    label: "Tools",
    hint: "The only tools that exist for a session. * stands for anything in a name.",
    absent: "every tool",
    example: "mcp__server__*",
    emptyCounts: true,
  },
  hooks: {
    kind: "hooks",
    label: "Shell guard",
    hint: "Parses each shell command and lets only a list of 18 programs run, each with rules of its own.",
    absent: "off",
  },
  web_hosts: {
    kind: "list",
    label: "Hosts for WebFetch",
    hint: "Hosts that may be reached. A host of the own network must be named exactly.",
    absent: "none",
    example: "*.example.org",
  },
  extra_read: {
    kind: "list",
    label: "Folders to read beyond the workspace",
    hint: "Absolute paths.",
    absent: "none",
    example: "/usr/share/doc",
  },
  autonomy: {
    kind: "choice",
    label: "Autonomy",
    hint: "What a session gets that asks for none; the most that an agent may ask for.",
    absent: "supervised",
    options: AUTONOMIES,
  },
  max_autonomy: {
    kind: "choice",
    label: "Highest autonomy",
    hint: "The most that anybody may ask for.",
    absent: "full",
    options: AUTONOMIES,
  },
  unattended: {
    kind: "choice",
    label: "When nobody answers",
    hint: "A profile that refuses cannot be changed by a session.",
    absent: "refuse",
    options: [
      { value: "deny", label: "refuse" },
      { value: "park", label: "park: the question waits" },
    ],
  },
  approval_timeout_ms: {
    kind: "seconds",
    label: "How long a question waits, in seconds",
    hint: "1 second to one day.",
    absent: "300",
  },
  allowed_providers: {
    kind: "list",
    label: "Providers that may be used",
    hint: "Names; * stands for anything.",
    absent: "all",
    example: "cloud",
  },
  provider_hosts: {
    kind: "list",
    label: "Hosts of providers",
    hint: "The only hosts that model requests may go to, without ports; unix is a socket of the machine.",
    absent: "all",
    example: "api.anthropic.com",
  },
  budget_approvers: {
    kind: "list",
    label: "Who approves money",
    hint: "Tokens whose yes counts for more money, by name or id.",
    absent: "whoever may approve",
    example: "owner",
  },
  allowed_models: {
    kind: "list",
    label: "Models that may be asked",
    hint: "Names; * stands for anything.",
    absent: "all",
    example: "claude-*",
  },
  blocked_models: {
    kind: "list",
    label: "Models that are refused",
    hint: "Wins over those that may be asked.",
    absent: "none",
    example: "claude-opus-*",
  },
  max_cost_usd: {
    kind: "dollars",
    label: "One session",
    hint: "The most that a session may spend, its forks and sub-agents included.",
    absent: "no limit",
  },
  default_max_cost_usd: {
    kind: "dollars",
    label: "A session that names no limit",
    hint: "What it gets.",
    absent: "as one session",
  },
  max_cost_usd_per_tick: { kind: "dollars", label: "One turn", hint: "Sub-agents included.", absent: "no limit" },
  max_cost_usd_per_day: {
    kind: "dollars",
    label: "One person or agent, each day",
    hint: "A day begins at midnight UTC.",
    absent: "no limit",
  },
  max_cost_usd_per_agent: {
    kind: "dollars",
    label: "One person or agent, in all",
    hint: "Of all its sessions, ever.",
    absent: "no limit",
  },
  approval_threshold_usd: {
    kind: "dollars",
    label: "Ask a person at",
    hint: "Each time a turn passes a multiple of this.",
    absent: "nobody is asked",
  },
  require_max_cost: {
    kind: "switch",
    label: "A session must name its limit",
    hint: "One without max_cost_usd is refused.",
    absent: "no",
  },
  max_turns: {
    kind: "count",
    label: "Messages of the model in one turn",
    hint: "1 to 1,000.",
    absent: "15, and no bound for a session that asks for more",
  },
  max_concurrent: {
    kind: "count",
    label: "Open sessions of one person or agent",
    hint: "Sessions that have not ended.",
    absent: "no limit",
  },
  max_context_tokens: {
    kind: "count",
    label: "Longest conversation, in tokens",
    hint: "What is sent to a model at most; from 1,000.",
    absent: "what the model takes",
  },
  session_rate: { kind: "rate", label: "Rate of one session", hint: "Model requests in a minute.", absent: "no limit" },
  agent_rate: {
    kind: "rate",
    label: "Rate of one person or agent",
    hint: "All its sessions together.",
    absent: "no limit",
  },
  for_agents: {
    kind: "switch",
    label: "Agents may choose it by name",
    hint: "The default profile is theirs anyway.",
    absent: "no",
  },
  require_idempotency: {
    kind: "switch",
    label: "A session needs an Idempotency-Key",
    hint: "A retry then never starts a second one.",
    absent: "no",
  },
};

/** In the order of the page. Whether all fields are in it is tested. */
export const FIELD_GROUPS: readonly { readonly title: string; readonly fields: readonly FieldName[] }[] = [
  { title: "Rules", fields: ["allow", "ask", "deny"] },
  {
    title: "Autonomy and questions",
    fields: ["autonomy", "max_autonomy", "for_agents", "unattended", "approval_timeout_ms"],
  },
  { title: "Tools and reach", fields: ["tools", "hooks", "web_hosts", "extra_read"] },
  { title: "Models", fields: ["allowed_providers", "provider_hosts", "allowed_models", "blocked_models"] },
  {
    title: "Money",
    fields: [
      "max_cost_usd",
      "default_max_cost_usd",
      "max_cost_usd_per_tick",
      "max_cost_usd_per_day",
      "max_cost_usd_per_agent",
      "approval_threshold_usd",
      "budget_approvers",
      "require_max_cost",
    ],
  },
  {
    title: "Limits",
    fields: ["max_turns", "max_concurrent", "max_context_tokens", "session_rate", "agent_rate", "require_idempotency"],
  },
];
