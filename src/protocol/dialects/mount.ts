export * from "./mount/answers.ts";
export * from "./mount/chunks.ts";
export * from "./mount/errno.ts";
export * from "./mount/output.ts";
export * from "./mount/policy.ts";
export * from "./mount/settings.ts";
export * from "./mount/tool-log.ts";
export * from "./mount/types.ts";
