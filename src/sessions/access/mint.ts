import { realpath } from "node:fs/promises";
import { firstExcess, openToOperators, roleWithin } from "../../gate/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  TokenBounds,
  type CreateToken,
  type Policy,
  type TokenBounds as Bounds,
} from "../../protocol/index.ts";
import { authorize, type Caller } from "./access.ts";
import { profileOf } from "../permission/profile.ts";

const VISITOR_PROFILE = "visitor";

/** The properties of a new token. */
interface Minted {
  readonly bounds: Bounds;
  /** Milliseconds since the epoch. Absent: never. */
  readonly expires_at?: number;
  /** The token that it ends with. Absent: made by an admin without limits. */
  readonly made_with?: string;
}

/**
 * The token that a caller may make: never for more than it may do itself. Fields that the request omits come from the caller's own
 * token.
 */
export async function mint(
  caller: Caller,
  request: CreateToken,
  { policy, now }: { readonly policy: Policy; readonly now: number },
): Promise<Minted> {
  checkRole(caller, request);
  const own = caller.token;
  const asked = boundsIn(request);
  const bounds = { ...own.bounds, ...asked, ...(await realRoots(asked)), ...profileFor(caller, request, policy) };
  checkFields(request);
  const wider = firstExcess(bounds, own.bounds);
  if (wider !== undefined)
    throw new Failure(
      "forbidden",
      `${wider} would be more than your own token has (${JSON.stringify(own.bounds[wider])}); ask for less`,
    );
  if (own.parents.length + 1 >= LIMITS.tokenDepth)
    throw new Failure(
      "limit_reached",
      `a chain of tokens that made one another can be ${LIMITS.tokenDepth} long at most`,
    );
  const expires_at = expiry(caller, request, now);
  const isRoot = caller.role === "admin" && own.expires_at === undefined && Object.keys(own.bounds).length === 0;
  return defined({ bounds, expires_at, made_with: isRoot ? undefined : own.id });
}

function checkRole(caller: Caller, { role }: CreateToken): void {
  authorize(caller, role === "visitor" ? "token.issue" : "token.manage");
  if (role !== "visitor" && !roleWithin(role, caller.role))
    throw new Failure("forbidden", `the role ${caller.role} may not make tokens of the role ${role}`);
}

function boundsIn(request: CreateToken): Bounds {
  const { role: _role, name: _name, expires_in_s: _life, subject: _subject, ...bounds } = request;
  return TokenBounds.parse(bounds);
}

function checkFields({ role, subject, expires_in_s, ...request }: CreateToken): void {
  if (subject !== undefined && role !== "visitor")
    throw new Failure("invalid_request", "subject: only a visitor's token has one");
  if (role === "visitor" && (expires_in_s ?? 0) > LIMITS.visitorTokenMaxS)
    throw new Failure("invalid_request", `expires_in_s: a visitor's token lives ${LIMITS.visitorTokenMaxS} s at most`);
  const { name: _name, origins: _origins, requests_per_minute: _rate, ...limits } = request;
  const [useless] = Object.keys(limits);
  if (role === "admin" && useless !== undefined)
    throw new Failure(
      "invalid_request",
      `${useless}: an admin writes the policy, so it would not hold; use another role`,
    );
}

/** A visitor always has a profile; others have one if it is requested, or if their maker has one. */
function profileFor(caller: Caller, { role, profile }: CreateToken, policy: Policy): Pick<Bounds, "profile"> {
  const fixed = caller.token.bounds.profile;
  const wanted = profile ?? fixed ?? (role === "visitor" ? VISITOR_PROFILE : undefined);
  if (wanted === undefined) return {};
  const { visitor_may_approve } = profileOf(policy, wanted);
  // A profile that says nothing about visitors was not written with them in mind.
  const fits = role !== "visitor" || visitor_may_approve !== undefined;
  const isOpen =
    wanted === fixed ||
    caller.role === "admin" ||
    (role === "visitor" && wanted === VISITOR_PROFILE) ||
    (caller.role === "operator" && fits && (wanted === policy.default_profile || openToOperators(policy, wanted)));
  if (isOpen) return { profile: wanted };
  throw new Failure("forbidden", `the role ${caller.role} may not give out the profile ${wanted}; an admin can`);
}

/** Folders are stored as real paths, so that a link changed later leads nowhere else. */
async function realRoots({ workspace_roots }: Bounds): Promise<Pick<Bounds, "workspace_roots">> {
  if (workspace_roots === undefined) return {};
  const real = workspace_roots.map(async (root) => {
    try {
      return await realpath(root);
    } catch {
      throw new Failure("invalid_request", `workspace_roots: there is no folder ${root}`);
    }
  });
  return { workspace_roots: await Promise.all(real) };
}

/** Never later than the caller's own token. */
function expiry(caller: Caller, { role, expires_in_s }: CreateToken, now: number): number | undefined {
  const seconds = expires_in_s ?? (role === "visitor" ? LIMITS.visitorTokenS : undefined);
  const asked = seconds === undefined ? Infinity : now + seconds * 1_000;
  const end = Math.min(asked, caller.token.expires_at ?? Infinity);
  return end === Infinity ? undefined : end;
}
