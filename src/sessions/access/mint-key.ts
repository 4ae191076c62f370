import { firstExcess, refusedModel } from "../../gate/index.ts";
import {
  defined,
  Failure,
  type CreateKey,
  type KeyBounds,
  type PrincipalRef,
  type Role,
  type TokenBounds,
} from "../../protocol/index.ts";
import type { KeyRow } from "../../store/index.ts";
import { least } from "../budget/limits.ts";
import type { Dependencies } from "../dependencies.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { TokenScope } from "./token-scope.ts";

/** The token that a key is made for. */
export interface KeyToken extends TokenScope {
  readonly id: string;
  readonly owner: PrincipalRef;
  /** Milliseconds since the epoch. Absent: never. */
  readonly expires_at?: number | undefined;
}

/** Who may use models at all, from anywhere: visitors work from a page, viewers and issuers start nothing. */
const ROLES: ReadonlySet<Role | "system"> = new Set(["admin", "operator", "agent"]);

type MintedKey = Pick<KeyRow, "owner" | "token_id" | "token" | "bounds" | "expires_at">;

/** The key that may be made for a token: never for more than the token may do itself. Throws what is wrong with the request. */
export function mintKey(
  { models, policy, expiryClock }: Pick<Dependencies, "models" | "policy" | "expiryClock">,
  token: KeyToken,
  request: CreateKey,
): MintedKey {
  const { id, owner, bounds: own, parents } = token;
  if (!ROLES.has(owner.role))
    throw new Failure(
      "forbidden",
      `a token of the role ${owner.role} gets no API keys; make a token of the role agent`,
    );
  if (own.origins !== undefined)
    throw new Failure("forbidden", "that token works only from some web pages, and a key works from anywhere");
  const { provider = models.defaultProvider, models: globs, rate, max_cost_microusd_per_day } = request;
  const profile = profileOfKey(policy(), { owner, token });
  const refused = refusedModel({ allowed_providers: profile.allowed_providers }, { provider, model: "" });
  models.providers.get(provider);
  if (refused !== undefined) throw refused;
  const asked = request.max_cost_microusd ?? profile.default_max_cost_microusd;
  if (request.max_cost_microusd === undefined && profile.require_max_cost === true)
    throw new Failure("max_cost_required", "this policy wants max_cost_microusd (micro-USD) with each key; add it");
  refuseMore(own, request);
  const max_cost_microusd = least(asked, profile.max_cost_microusd);
  const bounds: KeyBounds = {
    provider,
    ...defined({ models: globs, rate, max_cost_microusd, max_cost_microusd_per_day }),
  };
  const { expires_in_s } = request;
  const end = least(
    expires_in_s === undefined ? undefined : expiryClock.now() + expires_in_s * 1_000,
    token.expires_at,
  );
  return { owner, token_id: id, token: { bounds: own, parents }, bounds, ...defined({ expires_at: end }) };
}

/** The rules for the requests of a key: those of a session that its token would start. */
export function profileOfKey(
  policy: ReturnType<Dependencies["policy"]>,
  { owner, token }: Pick<KeyRow, "owner" | "token">,
): ReturnType<typeof effectiveProfile> {
  const profile = token.bounds.profile ?? policy.default_profile;
  return effectiveProfile(policy, { settings: { profile }, created_by: owner, token });
}

const FIELDS: Readonly<Partial<Record<keyof TokenBounds, string>>> = { model_rate: "rate" };

function refuseMore(own: TokenBounds, request: CreateKey): void {
  const { max_cost_microusd, max_cost_microusd_per_day, rate: model_rate } = request;
  const wanted = { ...own, ...defined({ max_cost_microusd, max_cost_microusd_per_day, model_rate }) };
  const wider = firstExcess(wanted, own);
  if (wider === undefined) return;
  throw new Failure(
    "forbidden",
    `${FIELDS[wider] ?? wider} would be more than the token has (${JSON.stringify(own[wider])}); ask for less`,
  );
}
