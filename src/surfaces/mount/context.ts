import type { JobKind, Profile, MountSetting, ShownQuestions } from "../../protocol/index.ts";
import {
  DEFAULT_MAX_CONCURRENT,
  DEFAULT_MOUNT_PROFILE,
  defaultMountProfile,
  Failure,
  LIMITS,
  mountProfile,
  mountProfileName,
} from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import type { SurfaceOptions } from "../surface.ts";
import type { FileTimes } from "./file-times.ts";
import type { OutputIndex } from "./output-index.ts";
import type { ShownTexts } from "./shown.ts";

/** What the files of one mount are made from. */
export interface MountContext {
  readonly gateway: Gateway;
  readonly metrics: SurfaceOptions["metrics"];
  readonly log: SurfaceOptions["log"];
  /** `/claude`. */
  readonly path: string;
  /** Which of document 003's trees it is. */
  readonly kind: "claude" | "identity" | JobKind;
  /** Absent: the mount has no settings of its own. */
  readonly setting: MountSetting | undefined;
  /** The ids of all mounts' tunnels in the settings. */
  readonly siblings: ReadonlySet<string>;
  readonly shown: ShownTexts;
  readonly outputs: OutputIndex;
  readonly times: FileTimes;
  /** The last errors: a shell can read there what an errno cannot express. */
  readonly errors: CallerMemory<string>;
  /** The questions last shown: an answer without a name refers to these. */
  readonly questions: CallerMemory<ShownQuestions>;
  /** By principal: resolves when the pending session has been made, or failed. */
  readonly making: Map<string, Promise<void>>;
}

/** The profile of sessions that are made through the mount. */
export function profileOfMount(
  context: MountContext,
  caller: Caller,
): { readonly name: string; readonly profile: Profile } {
  const { gateway, setting, path } = context;
  const policy = gateway.policy.get(caller);
  const own = setting === undefined || mountProfile(setting) === undefined ? undefined : mountProfileName(path);
  const named = (wanted: string): Profile | undefined =>
    Object.hasOwn(policy.profiles, wanted) ? policy.profiles[wanted] : undefined;
  const usual = context.kind === "claude" ? DEFAULT_MOUNT_PROFILE : mountProfileName(path);
  const name = own ?? caller.token.bounds.profile ?? usual;
  const base = named(policy.default_profile);
  const profile = named(name) ?? (name === usual && base !== undefined ? defaultFor(caller, base) : undefined);
  if (profile === undefined) throw new Failure("forbidden", `the policy has no profile ${name}; an admin can add it`);
  return { name, profile };
}

/** At the default mount, people may have as many sessions as the policy allows; agents have the document's number. */
function defaultFor({ role }: Caller, base: Profile): Profile {
  const agents = role === "agent" ? { max_concurrent: DEFAULT_MAX_CONCURRENT } : {};
  return { ...agents, ...defaultMountProfile(base) };
}

/** A value for each caller and session. The oldest is forgotten first. */
export class CallerMemory<Value> {
  readonly #values = new Map<string, Value>();

  put(caller: Caller, session_id: string, value: Value): void {
    const key = `${caller.id}/${session_id}`;
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > LIMITS.mountErrors) this.#values.delete(oldest);
  }

  clear(caller: Caller, session_id: string): void {
    this.#values.delete(`${caller.id}/${session_id}`);
  }

  get(caller: Caller, session_id: string): Value | undefined {
    return this.#values.get(`${caller.id}/${session_id}`);
  }
}
