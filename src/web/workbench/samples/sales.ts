import type { Table } from "../data/table.ts";
import { Chance } from "./chance.ts";
import { sampleTable } from "./sample-table.ts";

const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2023, 0, 1);
const DAYS = 730;

const REGIONS = { North: 28, South: 22, East: 18, West: 32 } as const;
/** Price of a piece in dollars. */
const PRODUCTS = { Chair: 89, Desk: 329, Lamp: 45, Shelf: 149, Sofa: 890 } as const;
const PRODUCT_WEIGHTS = { Chair: 34, Desk: 16, Lamp: 28, Shelf: 16, Sofa: 6 } as const;
const SELLERS = ["Amara", "Bruno", "Chen", "Dalia", "Emil", "Farah"] as const;

/** Two years of orders, a few each day, more before the holidays. */
export function sales(): Table {
  const chance = new Chance(2_023);
  const orders = Array.from({ length: DAYS }, (_, day) => ordersOf(day, chance)).flat();
  return sampleTable("sales", orders, [
    ["Date", ({ time }) => new Date(time)],
    ["Region", ({ region }) => region],
    ["Product", ({ product }) => product],
    ["Seller", ({ seller }) => seller],
    ["Pieces", ({ pieces }) => pieces, "int"],
    ["Amount", ({ amount }) => amount, "double"],
    ["Returned", ({ returned }) => returned, "bool"],
  ]);
}

function ordersOf(day: number, chance: Chance) {
  const time = FIRST_DAY + day * DAY;
  const month = new Date(time).getUTCMonth();
  const busy = month >= 10 ? 4 : 2;
  return Array.from({ length: chance.whole(busy + 1) + (month >= 10 ? 1 : 0) }, () => {
    const product = chance.pick(PRODUCT_WEIGHTS);
    const pieces = 1 + Math.floor(Math.abs(chance.normal(0, product === "Sofa" ? 0.8 : 2.6)));
    const discount = chance.next() < 0.2 ? 0.85 : 1;
    return {
      time,
      region: chance.pick(REGIONS),
      product,
      seller: SELLERS[chance.whole(SELLERS.length)] ?? null,
      pieces,
      amount: Number((pieces * PRODUCTS[product] * discount).toFixed(2)),
      returned: chance.next() < 0.06,
    };
  });
}
