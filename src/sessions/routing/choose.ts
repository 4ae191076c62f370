import type { ModelPlace, Price, ProviderStatus, Rates } from "../../protocol/index.ts";

/** A place where a model can be asked, and what is known of it. */
export interface RoutePlace extends ModelPlace {
  /** An admin marked that it may cost more. */
  readonly dearer: boolean;
  readonly status: ProviderStatus;
  /** Absent: none is known. */
  readonly price?: Price | undefined;
  /** Why a session cannot use it at all: policy, format, price, key. Absent: it can. */
  readonly refusal?: string | undefined;
}

export interface RouteQuestion {
  /** Where the session asks now, or wants to. */
  readonly current: RoutePlace;
  /** What its caller asked for: what anything else may cost is measured on it. */
  readonly wanted: Pick<RoutePlace, "price">;
  /** The other places, in the order in which they are tried. */
  readonly others: readonly RoutePlace[];
}

/** A place that was not taken, and why. */
export interface PassedPlace extends ModelPlace {
  readonly why: string;
}

export interface RouteChoice {
  /** Undefined: nothing else can be used. */
  readonly place: RoutePlace | undefined;
  readonly passed: readonly PassedPlace[];
}

/**
 * Where a session's model is asked. It stays where it is as long as that can be used. Else the first other place that can be used,
 * one that answers before one that had trouble, and never a dearer one that nobody marked. Pure.
 */
export function chooseRoute({ current, wanted, others }: RouteQuestion): RouteChoice {
  const reason = unusable(current);
  if (reason === undefined) return { place: current, passed: [] };
  const judged = others.map((place) => ({
    place,
    why: unusable(place) ?? (isTooDear(place, wanted) ? "it costs more" : undefined),
  }));
  const usable = judged.filter(({ why }) => why === undefined).map(({ place }) => place);
  const place = usable.find(({ status }) => status === "available") ?? usable[0];
  const skipped = judged.flatMap(({ place: { provider, model }, why }) =>
    why === undefined ? [] : [{ provider, model, why }],
  );
  return { place, passed: [{ provider: current.provider, model: current.model, why: reason }, ...skipped] };
}

function unusable({ status, refusal }: RoutePlace): string | undefined {
  return refusal ?? (status === "unavailable" ? "it does not answer" : undefined);
}

function isTooDear(place: RoutePlace, wanted: RouteQuestion["wanted"]): boolean {
  if (place.dearer || wanted.price === undefined) return false;
  return place.price === undefined || costsMore(place.price, wanted.price);
}

/** Whether any token, at any length of a request, could cost more. */
export function costsMore(price: Price, than: Price): boolean {
  const lengths = [0, ...[...(price.tiers ?? []), ...(than.tiers ?? [])].map(({ above }) => above + 1)];
  return lengths.some((length) => {
    const [one, other] = [ratesAt(price, length), ratesAt(than, length)];
    return one.some((rate, index) => rate > (other[index] ?? 0));
  });
}

/** Input, output, and the cache, with what an absent rate means. */
function ratesAt(price: Price, length: number): readonly number[] {
  let rates: Rates = price;
  let above = -1;
  for (const tier of price.tiers ?? []) {
    if (length <= tier.above || tier.above <= above) continue;
    rates = tier;
    above = tier.above;
  }
  const { input, output, cache_read = input, cache_write = input, cache_write_1h = cache_write } = rates;
  return [input, output, cache_read, cache_write, cache_write_1h];
}
