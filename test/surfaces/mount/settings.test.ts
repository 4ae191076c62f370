import { describe, expect, it } from "vitest";
import { parseSettings } from "../../../src/cli/settings/file.ts";
import { mountProfile, policyOfProfile, profileOfPolicy } from "../../../src/protocol/index.ts";

const PLACE = { path: "sallyport.yaml", environment: {} };

/** Word for word as document 003 shows it. */
const DOCUMENT = `mounts:
  /claude:
    type: claude
    access: budgeted  # REQUIRED: Claude API costs money
    budget:
      per_tick_usd: 1000000       # $1/tick (in micro-USD)
      per_day_usd: 100000000      # $100/day (in micro-USD)
      approval_threshold_usd: 10000000  # $10 requires approval
    policy:
      # Provider and model restrictions
      allowed_providers: ["tunnel", "cloud"]
      allowed_models: ["claude-sonnet-4-*", "claude-haiku-*"]
      blocked_models: ["claude-opus-*"]  # Opus too expensive for auto

      # Tool permissions
      allowed_tools: ["Read", "Write", "Edit", "Bash", "Glob", "Grep"]
      blocked_tools: ["WebFetch"]  # No external network
      approval_required_tools: ["Bash"]  # Bash needs approval

      # Limits
      max_concurrent: 3
      max_context_tokens: 200000
      default_autonomy: supervised
      require_max_cost: true

      # Security (admin-controlled, agents can't modify)
      isolation_mode: container        # container|gvisor|firecracker|local
      network_mode: proxy_only         # proxy_only|none|host
      repo_filter: standard            # standard|strict|none
      proxy_allowlist:
        - api.anthropic.com
        - api.openai.com  # If using OpenRouter

    tunnels:
      - id: local-proxy
        url: wss://my-tunnel.ngrok.io/claude
        auth: nostr

    # Worker pool configuration (optional)
    pool:
      min_workers: 1
      max_workers: 5
      idle_timeout_secs: 300
      scale_up_threshold: 0.8  # 80% utilization
`;

const SIBLINGS = `mounts:
  /containers:
    type: containers
    access: budgeted
    policy:
      allow_network: false
      max_execution_time_secs: 60
      max_memory_mb: 1024
      min_sandbox: bubblewrap
  /compute:
    type: compute
    access: budgeted
    budget:
      per_day_usd: 5
    policy:
      allowed_models: ["claude-haiku-*"]
      require_idempotency: true
`;

describe("mounts in sallyport.yaml", () => {
  it("reads document 003's configuration and makes a profile of it", () => {
    const setting = parseSettings(DOCUMENT, PLACE).mounts?.["/claude"];
    expect(setting).toMatchObject({
      access: "budgeted",
      tunnels: [{ id: "local-proxy", auth: "nostr" }],
      pool: { min_workers: 1, max_workers: 5, idle_timeout_secs: 300, scale_up_threshold: 0.8 },
    });
    expect(setting === undefined ? undefined : mountProfile(setting)).toEqual({
      description: "Sessions that are made through the mount.",
      for_agents: true,
      allowed_providers: ["tunnel", "cloud"],
      allowed_models: ["claude-sonnet-4-*", "claude-haiku-*"],
      blocked_models: ["claude-opus-*"],
      tools: ["Read", "Write", "Edit", "Bash", "Glob", "Grep"],
      deny: ["WebFetch"],
      ask: ["Bash"],
      ask_only_listed: true,
      autonomy: "supervised",
      provider_hosts: ["api.anthropic.com", "api.openai.com"],
      require_max_cost: true,
      max_concurrent: 3,
      max_context_tokens: 200_000,
      max_cost_microusd_per_tick: 1_000_000,
      max_cost_microusd_per_day: 100_000_000,
      approval_threshold_microusd: 10_000_000,
    });
  });

  it.each([
    ["access: budgeted", "access: read_write", 4, "mounts./claude.access must be budgeted"],
    ["access: budgeted", "access: open", 4, "mounts./claude.access"],
    ["type: claude", "type: compute", 3, "mounts./claude.type must be claude"],
    ["    access: budgeted  # REQUIRED: Claude API costs money\n", "", 2, "mounts./claude.access"],
    ["per_day_usd: 100000000 ", "per_day_usd: 1.5", 7, "mounts./claude.budget.per_day_usd"],
    ["per_tick_usd: 1000000 ", "per_tock_usd: 1", 6, "mounts./claude.budget.per_tock_usd is not a setting"],
    ["default_autonomy: supervised", "default_autonomy: wild", 23, "mounts./claude.policy.default_autonomy"],
    ["max_concurrent: 3", "max_concurrent: 0", 21, "mounts./claude.policy.max_concurrent"],
    ["isolation_mode: container", "isolation_mode: paper", 27, "mounts./claude.policy.isolation_mode"],
    ["url: wss://", "url: https://", 36, "mounts./claude.tunnels.0.url must be an address"],
    ["auth: nostr", "auth: magic", 37, "mounts./claude.tunnels.0.auth"],
    ["min_workers: 1", "min_workers: 9", 41, "mounts./claude.pool.min_workers must not be more than max_workers"],
    ["  /claude:", "  /clawd:", 2, "mounts./clawd must be /claude"],
    ["  /claude:", "  /claude/inner:", 2, "mounts./claude/inner must be /claude"],
  ])("refuses %s become %s, and names line %i", (before, after, line, words) => {
    const text = DOCUMENT.replace(before, after);
    expect(text).not.toBe(DOCUMENT);
    expect(() => parseSettings(text, PLACE)).toThrow(
      new RegExp(`^sallyport\\.yaml, line ${line}: ${words.replaceAll(".", "\\.")}`),
    );
  });

  it("reads the siblings of /claude, each with a policy of its own", () => {
    const { mounts } = parseSettings(SIBLINGS, PLACE);
    const [containers, compute] = [mounts?.["/containers"], mounts?.["/compute"]];
    const common = { description: "Sessions that are made through the mount.", for_agents: true };
    expect(containers === undefined ? undefined : mountProfile(containers)).toEqual({
      ...common,
      network: "none",
      max_job_time_ms: 60_000,
      max_job_memory_mib: 1_024,
      min_sandbox: "bubblewrap",
      max_concurrent: 3,
    });
    expect(compute === undefined ? undefined : mountProfile(compute)).toEqual({
      ...common,
      allowed_models: ["claude-haiku-*"],
      require_idempotency: true,
      max_cost_microusd_per_day: 5,
    });
    expect(() => parseSettings(SIBLINGS.replace("type: compute", "type: claude"), PLACE)).toThrow("must be compute");
    expect(() => parseSettings(SIBLINGS.replace("max_memory_mb", "max_memory"), PLACE)).toThrow("max_memory_mb");
  });

  it("takes an empty section for none, and leaves other errors as they are", () => {
    expect(parseSettings("mounts:\n", PLACE).mounts).toEqual({});
    expect(() => parseSettings("port: x\n", PLACE)).toThrow(/^sallyport\.yaml, line 1: port/);
  });

  it("changes a profile only where the policy speaks of it", () => {
    const walls = {
      allowed_tunnels: [],
      isolation_mode: "local" as const,
      network_mode: "host" as const,
      repo_filter: "none" as const,
      proxy_allowlist: [],
    };
    const profile = {
      allow: ["Read(./**)"],
      hooks: ["guarded" as const],
      max_autonomy: "full" as const,
      autonomy: "full" as const,
      tools: ["Read"],
      ask: ["Bash(git push:*)"],
      max_concurrent: 5,
      require_idempotency: true,
    };
    expect(profileOfPolicy(policyOfProfile(profile, walls), profile)).toEqual(profile);
    expect(profileOfPolicy({}, profile)).toEqual({
      allow: ["Read(./**)"],
      hooks: ["guarded"],
      max_autonomy: "full",
      autonomy: "supervised",
      max_concurrent: 3,
    });
  });
});
