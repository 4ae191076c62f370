import {
  defined,
  Failure,
  SANDBOX_ORDER,
  type CreateSession,
  type NetworkMode,
  type Profile,
  type SandboxKind,
  type SandboxView,
  type SessionSettings,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";
import { profileOf } from "../permission/profile.ts";

/** Where a new session runs, and what it can reach. */
export type SessionWalls = Pick<SessionSettings, "sandbox" | "network">;

interface WallsRequest {
  readonly caller: Caller;
  readonly profile: Profile;
  readonly request: CreateSession;
  /** The session that it continues. */
  readonly base: SessionSettings | undefined;
}

/** Never weaker than the policy's `min_sandbox`; for agents and visitors, never weaker than what they get without asking. */
export async function chooseWalls(
  { sandboxes, defaultSandbox }: Dependencies,
  { caller, profile, request, base }: WallsRequest,
): Promise<SessionWalls> {
  const least = profile.min_sandbox ?? "local";
  const usual = profile.sandbox ?? defaultSandbox;
  const asked = request.sandbox ?? (isWeaker(base?.sandbox, least) ? undefined : base?.sandbox);
  const sandbox = await sandboxes.choose(asked ?? usual, least);
  const isFree = caller.role === "admin" || caller.role === "operator";
  if (request.sandbox !== undefined && !isFree) {
    const own = await sandboxes.choose(usual, least);
    if (isWeaker(sandbox, own))
      throw new Failure(
        "forbidden",
        `sessions of ${caller.role}s run in the sandbox ${own} here, and ${sandbox} is weaker`,
      );
  }
  const network = chooseNetwork(sandbox, { profile, asked: request.network, before: base?.network });
  return network === undefined ? { sandbox } : { sandbox, network };
}

function isWeaker(kind: SandboxKind | undefined, than: SandboxKind): boolean {
  return kind !== undefined && SANDBOX_ORDER.indexOf(kind) < SANDBOX_ORDER.indexOf(than);
}

interface NetworkRequest {
  readonly profile: Profile;
  readonly asked: NetworkMode | undefined;
  readonly before: NetworkMode | undefined;
}

/** Absent: `host`, the only one without walls. */
function chooseNetwork(
  sandbox: SandboxKind,
  { profile, asked, before }: NetworkRequest,
): "none" | "proxy_only" | undefined {
  if (sandbox === "local") {
    const wanted = asked ?? profile.network;
    if (wanted === undefined || wanted === "host") return undefined;
    throw new Failure(
      "unsupported",
      `network ${wanted} needs a sandbox, and local has none: name another one, or see \`sallyport doctor\` for what to install`,
    );
  }
  if (asked === "host")
    throw new Failure(
      "unsupported",
      `network host is for the sandbox local alone; ${sandbox} has a network of its own`,
    );
  const most = profile.network === "none" ? "none" : "proxy_only";
  if (asked === "proxy_only" && most === "none")
    throw new Failure("forbidden", "the policy's network is none; leave network out");
  return asked ?? (before === "none" ? "none" : most);
}

/** What sessions of a profile, or of the default one, get that name none. `bubblewrap` is why they do not get that, where it does not work. */
export async function usualSandbox(
  { sandboxes, defaultSandbox, policy }: Dependencies,
  profile: Profile = profileOf(policy(), policy().default_profile),
): Promise<UsualSandbox> {
  const { sandbox = defaultSandbox, min_sandbox = "local" } = profile;
  // None of them is good enough: then there is no default.
  const kind = await sandboxes.choose(sandbox, min_sandbox).catch(() => undefined);
  const missing = kind === "local" && sandbox === "auto" ? await sandboxes.get("bubblewrap")?.missing() : undefined;
  return { kind, missing };
}

export interface UsualSandbox {
  /** Absent: none of those that the policy allows works here. */
  readonly kind: SandboxKind | undefined;
  /** Why it is `local` though nobody chose that. */
  readonly missing: { readonly reason: string; readonly remedy: string } | undefined;
}

/** All kinds of sandboxes, and which one sessions of the default profile get that name none. */
export async function describeSandboxes(dependencies: Dependencies): Promise<readonly SandboxView[]> {
  const [states, usual] = await Promise.all([dependencies.sandboxes.list(), usualSandbox(dependencies)]);
  return states.map(({ kind, missing }) =>
    defined({
      id: kind,
      available: missing === undefined,
      advice: missing === undefined ? undefined : `${missing.reason}: ${missing.remedy}`,
      default: kind === usual.kind ? (true as const) : undefined,
    }),
  );
}
