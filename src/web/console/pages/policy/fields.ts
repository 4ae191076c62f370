import type { Profile, RateLimit } from "../../../../protocol/index.ts";

export type FieldName = keyof Profile;

interface Common {
  readonly label: string;
  readonly hint: string;
  /** What absence means. */
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
  { value: "read_only", label: "read only: only what Allow lists" },
  { value: "restricted", label: "restricted: everything needs approval" },
  { value: "supervised", label: "supervised: changes need approval" },
  { value: "full", label: "full: runs without asking" },
] as const;

const SANDBOXES = [
  { value: "local", label: "local: no walls" },
  { value: "bubblewrap", label: "bubblewrap: Linux namespaces" },
  { value: "container", label: "container" },
  { value: "gvisor", label: "gvisor: a container with its own kernel" },
  { value: "firecracker", label: "firecracker: a virtual machine" },
] as const;

/** Every setting of a profile; the compiler finds one that is missing here. */
export const PROFILE_FIELDS: { readonly [Name in FieldName]-?: SpecFor<NonNullable<Profile[Name]>> } = {
  description: { kind: "text", label: "Description", hint: "What this profile is for.", absent: "none" },
  allow: {
    kind: "list",
    label: "Allow",
    hint: "Tools or rules that run without asking. Matched literally.",
    absent: "none",
    example: "Bash(npm run test:*)",
  },
  ask: {
    kind: "list",
    label: "Ask",
    hint: "Tools or rules that always need approval, even if allowed above.",
    absent: "none",
    example: "Bash(git push:*)",
  },
  deny: {
    kind: "list",
    label: "Deny",
    hint: "Tools or rules that are always blocked. Overrides everything else.",
    absent: "none",
    example: "Read(secrets/**)",
  },
  tools: {
    kind: "list",
    label: "Tools",
    hint: "The only tools a session has. * matches anything in a name.",
    absent: "every tool",
    example: "mcp__server__*",
    emptyCounts: true,
  },
  hooks: {
    kind: "hooks",
    label: "Shell guard",
    hint: "Parses each shell command and allows only 18 programs, each with its own rules.",
    absent: "off",
  },
  web_hosts: {
    kind: "list",
    label: "Hosts for WebFetch",
    hint: "Hosts WebFetch can reach. Name hosts on your own network exactly.",
    absent: "none",
    example: "*.example.org",
  },
  extra_read: {
    kind: "list",
    label: "Readable folders outside the workspace",
    hint: "Absolute paths.",
    absent: "none",
    example: "/usr/share/doc",
  },
  autonomy: {
    kind: "choice",
    label: "Autonomy",
    hint: "The default for sessions, and the most an agent can ask for.",
    absent: "supervised",
    options: AUTONOMIES,
  },
  max_autonomy: {
    kind: "choice",
    label: "Highest autonomy",
    hint: "The most anyone can ask for.",
    absent: "full",
    options: AUTONOMIES,
  },
  sandbox: {
    kind: "choice",
    label: "Sandbox",
    hint: "Where sessions run that name none.",
    absent: "the server’s default",
    options: [{ value: "auto", label: "auto: the best that works here" }, ...SANDBOXES],
  },
  min_sandbox: {
    kind: "choice",
    label: "Weakest sandbox",
    hint: "No session runs behind weaker walls.",
    absent: "local",
    options: SANDBOXES,
  },
  network: {
    kind: "choice",
    label: "Network",
    hint: "The most that programs in a sandbox can reach.",
    absent: "proxy only",
    options: [
      { value: "proxy_only", label: "proxy only: models and the hosts below" },
      { value: "none", label: "none: models alone" },
    ],
  },
  egress_hosts: {
    kind: "list",
    label: "Hosts for programs",
    hint: "What programs in a sandbox may reach. * stands for anything.",
    absent: "none",
    example: "packages.example.org\n*.example.com",
  },
  workspace_mode: {
    kind: "choice",
    label: "Workspace",
    hint: "In which files sessions work that don’t say.",
    absent: "the folder itself",
    options: [
      { value: "direct", label: "direct: the folder itself" },
      { value: "worktree", label: "worktree: a git branch of its own" },
      { value: "snapshot", label: "snapshot: a filtered copy" },
    ],
  },
  repo_filter: {
    kind: "choice",
    label: "Left out of snapshots",
    hint: "What a filtered copy leaves out at least.",
    absent: "standard",
    options: [
      { value: "none", label: "none: nothing" },
      { value: "standard", label: "standard: files that hold secrets" },
      { value: "strict", label: "strict: everything but source files" },
    ],
  },
  unattended: {
    kind: "choice",
    label: "When nobody answers",
    hint: "If the profile denies, a session cannot change that.",
    absent: "refuse",
    options: [
      { value: "deny", label: "refuse" },
      { value: "park", label: "park: wait indefinitely" },
    ],
  },
  approval_timeout_ms: {
    kind: "seconds",
    label: "Approval timeout, in seconds",
    hint: "1 second to one day.",
    absent: "300",
  },
  allowed_providers: {
    kind: "list",
    label: "Allowed providers",
    hint: "Names; * matches anything.",
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
    label: "Allowed models",
    hint: "Names; * matches anything.",
    absent: "all",
    example: "claude-*",
  },
  blocked_models: {
    kind: "list",
    label: "Blocked models",
    hint: "Overrides the allowed models.",
    absent: "none",
    example: "claude-opus-*",
  },
  max_cost_microusd: {
    kind: "dollars",
    label: "One session",
    hint: "Spending limit of a session, including forks and sub-agents.",
    absent: "no limit",
  },
  default_max_cost_microusd: {
    kind: "dollars",
    label: "Default session limit",
    hint: "Used when a session sets no limit.",
    absent: "as one session",
  },
  max_cost_microusd_per_tick: { kind: "dollars", label: "One turn", hint: "Including sub-agents.", absent: "no limit" },
  max_cost_microusd_per_day: {
    kind: "dollars",
    label: "One person or agent, per day",
    hint: "Days start at midnight UTC.",
    absent: "no limit",
  },
  max_cost_microusd_per_agent: {
    kind: "dollars",
    label: "One person or agent, in total",
    hint: "All sessions, all time.",
    absent: "no limit",
  },
  approval_threshold_microusd: {
    kind: "dollars",
    label: "Ask for approval every",
    hint: "Each time a turn’s cost passes a multiple of this.",
    absent: "never",
  },
  require_max_cost: {
    kind: "switch",
    label: "Sessions must set a limit",
    hint: "Sessions without max_cost_microusd are rejected.",
    absent: "no",
  },
  max_turns: {
    kind: "count",
    label: "Max steps per turn",
    hint: "1 to 1,000.",
    absent: "15, and a session can ask for more",
  },
  max_concurrent: {
    kind: "count",
    label: "Open sessions per person or agent",
    hint: "Sessions that are not closed.",
    absent: "no limit",
  },
  max_context_tokens: {
    kind: "count",
    label: "Max context, in tokens",
    hint: "The most that is sent to a model; at least 1,000.",
    absent: "the model’s own limit",
  },
  session_rate: {
    kind: "rate",
    label: "Rate limit per session",
    hint: "Model requests per minute.",
    absent: "no limit",
  },
  agent_rate: {
    kind: "rate",
    label: "Rate limit per person or agent",
    hint: "All their sessions together.",
    absent: "no limit",
  },
  for_agents: {
    kind: "switch",
    label: "Agents can choose this profile",
    hint: "Agents can always use the default profile.",
    absent: "no",
  },
  for_operators: {
    kind: "switch",
    label: "Operators may choose it by name",
    hint: "The default profile is theirs anyway.",
    absent: "only a shipped profile beside the shipped default",
  },
  client_may_choose: {
    kind: "list",
    label: "Clients may choose",
    hint: "Settings that visitors and clients of document 000 may set for a session, such as model or max_turns.",
    absent: "none",
    example: "model",
  },
  visitor_may_approve: {
    kind: "list",
    label: "Visitors may answer for",
    hint: "Tools of a visitor's own page whose questions the visitor answers. Never tools of this server.",
    absent: "none",
    example: "mcp__shop__*",
  },
  approvers: {
    kind: "list",
    label: "Agents that may answer",
    hint: "creator: the agent that began the session. parent: the same, only for sessions with a parent session. Never for more than it may do itself.",
    absent: "none, only people",
    example: "parent",
  },
  ask_only_listed: {
    kind: "switch",
    label: "Ask only about what is listed",
    hint: "Supervised sessions then ask only about the rules under Ask. Everything else that is not denied runs.",
    absent: "no",
  },
  require_idempotency: {
    kind: "switch",
    label: "Require an Idempotency-Key",
    hint: "A retry then never starts a second session.",
    absent: "no",
  },
};

/** In page order. A test checks that all fields are included. */
export const FIELD_GROUPS: readonly { readonly title: string; readonly fields: readonly FieldName[] }[] = [
  { title: "Rules", fields: ["allow", "ask", "ask_only_listed", "deny"] },
  {
    title: "Autonomy and approvals",
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
  { title: "Tools and access", fields: ["tools", "hooks", "web_hosts", "extra_read"] },
  {
    title: "Walls",
    fields: ["sandbox", "min_sandbox", "network", "egress_hosts", "workspace_mode", "repo_filter"],
  },
  { title: "Models", fields: ["allowed_providers", "provider_hosts", "allowed_models", "blocked_models"] },
  {
    title: "Money",
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
    title: "Limits",
    fields: ["max_turns", "max_concurrent", "max_context_tokens", "session_rate", "agent_rate", "require_idempotency"],
  },
];
