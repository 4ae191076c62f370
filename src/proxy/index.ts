export { ProviderBreaker, type ProviderCondition } from "./breaker.ts";
export type { CallerRequest, CallerResponse } from "./caller.ts";
export type { NetworkProxies } from "./network-proxies.ts";
export * from "./open.ts";
export { ProviderRecord } from "./provider-record.ts";
export * from "./proxy.ts";
export * from "./providers.ts";
export * from "./providers/open.ts";
