import { refusedModel } from "../../gate/index.ts";
import { Failure, failoverFor, globMatches, type ModelPlace, type Profile } from "../../protocol/index.ts";
import type { Provider } from "../../proxy/index.ts";
import type { Dependencies } from "../dependencies.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Session } from "../core/session.ts";
import { checkTurnMetered } from "../settings/metered.ts";
import { learnWindow } from "../settings/model-facts.ts";
import { chooseRoute, type PassedPlace, type RoutePlace } from "./choose.ts";

interface RoutingRules {
  readonly profile: Profile;
  readonly engine: string;
  /** Why whoever it is for may not use the tunnel behind a provider now. Undefined: it may, or it is no tunnel. */
  readonly unproved: (provider: string) => Promise<string | undefined>;
}

type RoutingParts = Pick<Dependencies, "models" | "engines">;

/** Where a session goes, and what was asked for. */
export interface Routed extends ModelPlace {
  /** What was asked for; absent: this. */
  readonly routed_from?: ModelPlace;
}

/**
 * The place for a new session. What was asked for, unless it cannot be used and an admin listed another one. `isNamed`: the caller
 * named this provider, so that only a provider that fails is left, not one that a rule refuses.
 */
export async function routeNew(
  parts: RoutingParts,
  rules: RoutingRules,
  { wanted, isNamed }: { readonly wanted: ModelPlace; readonly isNamed: boolean },
): Promise<Routed> {
  const listed = staysPut(parts, rules.engine) ? [] : failoverFor(parts.models.failover(), wanted);
  if (listed.length === 0) return wanted;
  const places = await placesOf(parts, rules, wanted);
  const [current, ...others] = places;
  if (current === undefined || (isNamed && current.refusal !== undefined && !current.lacksKey)) return wanted;
  const { place } = chooseRoute({ current, wanted: current, others });
  if (place === undefined || isSame(place, wanted)) return wanted;
  const { provider, model } = place;
  return { provider, model, routed_from: { provider: wanted.provider, model: wanted.model } };
}

/** Its sessions are where their provider is. */
function staysPut({ engines }: Pick<RoutingParts, "engines">, engine: string): boolean {
  return engines.get(engine)?.refusesProvider !== undefined;
}

/** Told in the journal of a session that begins elsewhere. */
export function routedWords({ provider, model }: ModelPlace, from: ModelPlace): string {
  return `${from.provider}/${from.model} cannot be used now, so ${provider}/${model} is asked instead, as \`failover\` in sallyport.yaml says.`;
}

/**
 * Before a turn: throws where the policy does not allow its engine any more. A session whose provider fails moves to a place that an admin
 * listed, which its journal tells. Nearly always it stays. Then what its model can hold is asked for, where only its server knows. A turn
 * that goes on after a restart stays where it is.
 */
export async function routeTurn(session: Session, { isResumed }: { readonly isResumed: boolean }): Promise<void> {
  checkTurnMetered(session);
  if (isResumed) return;
  const { models } = session.dependencies;
  const { provider, model, routed_from } = session.state.settings;
  const wanted = routed_from ?? { provider, model };
  const isFailing =
    models.providers.status(provider) === "unavailable" &&
    !staysPut(session.dependencies, session.state.settings.engine);
  if (isFailing && failoverFor(models.failover(), wanted).length > 0) await move(session, wanted);
  await learnWindow(models, session.state.settings);
}

async function move(session: Session, wanted: ModelPlace): Promise<void> {
  const { dependencies, state } = session;
  const { engine, provider, model } = state.settings;
  const profile = effectiveProfile(dependencies.policy(), state);
  const unproved = async (other: string): Promise<string | undefined> =>
    // A session that is at a tunnel already was let in there.
    other === provider ? undefined : dependencies.unproved(state.created_by, other);
  const places = await placesOf(dependencies, { profile, engine, unproved }, wanted);
  const current = places.find((place) => isSame(place, { provider, model }));
  const [first] = places;
  // The list has changed since: it stays until somebody chooses.
  if (current === undefined || first === undefined) return;
  const others = places.filter((place) => place !== current);
  const { place, passed } = chooseRoute({ current, wanted: first, others });
  if (place === current || session.state.settings.provider !== provider) return;
  if (place === undefined) {
    await session.execute({ type: "notice", message: stayWords(provider, passed) });
    return;
  }
  const to = { provider: place.provider, model: place.model };
  await Promise.all([
    session.execute({ type: "notice", message: routedWords(to, { provider, model }) }),
    session.execute({ type: "configure", change: { ...to, ...(isSame(to, wanted) ? {} : { routed_from: wanted }) } }),
  ]);
}

function stayWords(provider: string, passed: readonly PassedPlace[]): string {
  const why = passed.map((place) => `${place.provider}/${place.model}: ${place.why}`).join("; ");
  return `The provider ${provider} fails, and no place of \`failover\` can be used. ${why}`;
}

interface JudgedPlace extends RoutePlace {
  readonly lacksKey: boolean;
}

/** What was asked for, then what is listed for it. A provider that is gone is left out. */
async function placesOf(parts: RoutingParts, rules: RoutingRules, wanted: ModelPlace): Promise<readonly JudgedPlace[]> {
  const listed = failoverFor(parts.models.failover(), wanted).map(({ provider, model, dearer }) => ({
    provider,
    model: model ?? wanted.model,
    dearer: dearer === true,
  }));
  const known = parts.models.providers.list();
  const places = [{ ...wanted, dearer: true }, ...listed].flatMap((place) => {
    const provider = known.find(({ id }) => id === place.provider);
    return provider === undefined ? [] : [judge(parts, rules, { place, provider })];
  });
  return Promise.all(places);
}

async function judge(
  { models, engines }: RoutingParts,
  { profile, engine, unproved }: RoutingRules,
  { place, provider }: { readonly place: ModelPlace & { readonly dearer: boolean }; readonly provider: Provider },
): Promise<JudgedPlace> {
  const price = models.prices.priceOf(provider, place.model)?.price;
  const status = models.providers.status(provider.id);
  const wires = engines.get(engine)?.wires ?? [];
  const byRule =
    refusedModel(profile, place)?.message ??
    refusedHost(profile, provider) ??
    (wires.some((wire) => provider.baseUrl[wire] !== undefined) ? undefined : "its format is not the engine's") ??
    (price === undefined ? "it has no price" : undefined) ??
    (await unproved(provider.id));
  const missing = byRule === undefined ? await missingKey(provider) : undefined;
  return { ...place, price, status, refusal: byRule ?? missing, lacksKey: missing !== undefined };
}

function refusedHost({ provider_hosts = [] }: Profile, { baseUrl }: Provider): string | undefined {
  if (provider_hosts.length === 0) return undefined;
  const hosts = Object.values(baseUrl).map((url) => (url.startsWith("unix:") ? "unix" : new URL(url).hostname));
  const isAllowed = hosts.every((host) => provider_hosts.some((glob) => globMatches(glob, host)));
  return isAllowed ? undefined : "the policy does not allow its host";
}

async function missingKey(provider: Provider): Promise<string | undefined> {
  try {
    await provider.credentials();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return "it has no key";
    throw error;
  }
}

function isSame(one: ModelPlace, other: ModelPlace): boolean {
  return one.provider === other.provider && one.model === other.model;
}
