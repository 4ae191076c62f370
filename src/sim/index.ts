export { createSimModel, type SimExchange, type SimModel, type SimOptions } from "./model.ts";
export { startSim, type SimPlace, type SimServer } from "./server.ts";
export { estimateTokens } from "./tokens.ts";
