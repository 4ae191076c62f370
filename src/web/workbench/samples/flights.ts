import type { Table } from "../data/table.ts";
import { Chance } from "./chance.ts";
import { sampleTable } from "./sample-table.ts";

/** Larger ones have more links. */
const AIRPORTS = {
  Atlanta: 10,
  Beijing: 8,
  Chicago: 7,
  Dubai: 9,
  Frankfurt: 7,
  Istanbul: 7,
  Johannesburg: 4,
  London: 9,
  Madrid: 5,
  Mumbai: 5,
  Nairobi: 3,
  Paris: 7,
  "São Paulo": 4,
  Singapore: 6,
  Sydney: 4,
  Tokyo: 7,
  Toronto: 5,
  Vienna: 3,
} as const;

const LINKS = 96;

/** Made-up counts of flights between cities: a network. */
export function flights(): Table {
  const chance = new Chance(747);
  const counts = new Map<string, { readonly from: string; readonly to: string; count: number }>();
  while (counts.size < LINKS) {
    const from = chance.pick(AIRPORTS);
    const to = chance.pick(AIRPORTS);
    if (from === to) continue;
    const key = `${from}>${to}`;
    const link = counts.get(key) ?? { from, to, count: 0 };
    link.count += 20 + chance.whole(40) * AIRPORTS[from];
    counts.set(key, link);
  }
  const links = [...counts.values()];
  return sampleTable("flights", links, [
    ["From", ({ from }) => from],
    ["To", ({ to }) => to],
    ["Flights", ({ count }) => count, "int"],
  ]);
}
