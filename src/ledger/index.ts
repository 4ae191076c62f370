export * from "./accounts.ts";
export { isFree, worstCase } from "./bound.ts";
export { openLedger } from "./book.ts";
export { costOf } from "./cost.ts";
export * from "./ledger.ts";
export { openPriceBook, type PriceBook } from "./prices.ts";
export * from "./request.ts";
