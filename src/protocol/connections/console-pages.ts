/** The console's main pages, in the order of their links: the capability that one needs to see it, and the key that leads there after `g`. */
export const CONSOLE_PAGES = [
  { to: "/sessions", label: "Sessions", needs: "session.read", key: "s" },
  { to: "/approvals", label: "Approvals", needs: "approval.read", key: "a" },
  { to: "/search", label: "Search", needs: "session.read", key: "f" },
  { to: "/usage", label: "Usage", needs: "usage.read", key: "u" },
  { to: "/policy", label: "Policy", needs: "policy.read", key: "p" },
  { to: "/long-runs", label: "Long runs", needs: "session.read", key: "r" },
  { to: "/schedules", label: "Schedules", needs: "trigger.manage", key: "c" },
  { to: "/webhooks", label: "Webhooks", needs: "trigger.manage", key: "h" },
  { to: "/providers", label: "Providers", needs: "provider.read", key: "m" },
  { to: "/tunnels", label: "Tunnels", needs: "provider.read", key: "x" },
  { to: "/mcp-logins", label: "MCP logins", needs: "policy.read", key: "o" },
  { to: "/workers", label: "Workers", needs: "metrics.read", key: "w" },
  { to: "/tokens", label: "Tokens", needs: "token.manage", key: "t" },
  { to: "/audit", label: "Audit", needs: "audit.read", key: "l" },
] as const;
