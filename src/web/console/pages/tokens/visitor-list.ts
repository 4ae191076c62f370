import type { TokenView, UsageReport } from "../../../../protocol/index.ts";

/** One person on a product's page. Each visit may have a token of its own. */
export interface Visitor {
  /** The principal. */
  readonly id: string;
  readonly name: string;
  /** The name of the token that the product's server uses; absent: it is gone, or not yours. */
  readonly maker: string | undefined;
  /** Absent: never. */
  readonly lastSeen: string | undefined;
  /** When the last of the tokens ends; absent: never. */
  readonly expires: string | undefined;
  /** Micro-USD, of all its sessions; absent: unknown. */
  readonly spent: number | undefined;
  readonly tokens: readonly string[];
}

/** Visitors by their tokens, in the order in which these come. */
export function visitorsOf({
  tokens,
  makers,
  costs,
}: {
  readonly tokens: readonly TokenView[];
  readonly makers: readonly TokenView[];
  /** By principal; absent: not known, or not for this person. */
  readonly costs: UsageReport | undefined;
}): readonly Visitor[] {
  return [...new Set(tokens.map(({ principal_id }) => principal_id))].map((id) => {
    const own = tokens.filter(({ principal_id }) => principal_id === id);
    const line = costs?.lines.find(({ agent }) => agent === id);
    // A principal without a line has spent nothing, unless lines were left out.
    const none = costs === undefined || costs.truncated === true ? undefined : 0;
    const ends = own.map(({ expires_at }) => expires_at);
    return {
      id,
      name: own[0]?.name ?? id,
      maker: makers.find(({ id: maker }) => own.some(({ made_with }) => made_with === maker))?.name,
      lastSeen: latest(own.map(({ last_used_at }) => last_used_at)),
      expires: ends.includes(undefined) ? undefined : latest(ends),
      spent: line?.cost_microusd ?? none,
      tokens: own.map((token) => token.id),
    };
  });
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}
