import { NETWORK_TOOL, type Effect } from "../protocol/index.ts";
import { asksOnlyListed, rulesOf } from "./evaluate.ts";
import type { CallInQuestion, PolicyContext } from "./gate.ts";
import { catches } from "./match.ts";

interface HostInQuestion {
  /** As URLs write it: ASCII, lower case. */
  readonly host: string;
  readonly port: number;
}

/** The rule that "approve for this session" adds: `Network(example.com)` for the ports of the web, else `Network(example.com:8443)`. */
export function hostGrant({ host, port }: HostInQuestion): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${NETWORK_TOOL}(${port === 80 || port === 443 ? name : `${name}:${port}`})`;
}

/**
 * What holds for a host that programs in a sandbox want to reach and that no rule of the profile opens. `deny`: nobody is asked. Only
 * `supervised` asks: with less the session may not have it, with more nobody watches.
 */
export function ruleOnHost({ host, port }: HostInQuestion, context: PolicyContext): Effect {
  const { profile, autonomy, grants, neverAsk, plans } = context;
  const call: CallInQuestion = {
    tool: NETWORK_TOOL,
    input: { host, port },
    known: true,
    tier: "network",
    alwaysAsks: false,
    paths: [],
    hosts: [],
  };
  if (autonomy === "read_only" || catches(rulesOf(profile.deny), call, context) !== undefined) return "deny";
  if (grants.includes(hostGrant({ host, port }))) return "allow";
  if (autonomy !== "supervised" || neverAsk || plans === true) return "deny";
  const isListed = !asksOnlyListed(context) || catches(rulesOf(profile.ask), call, context) !== undefined;
  return isListed ? "ask" : "deny";
}
