export * from "./answer.ts";
export * from "./authenticator.ts";
export * from "./challenges.ts";
export * from "./identity-keys.ts";
export * from "./keys.ts";
export * from "./refusal.ts";
export * from "./schnorr.ts";
export * from "./secrets.ts";
