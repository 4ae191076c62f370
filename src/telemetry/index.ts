export * from "./telemetry.ts";
export * from "./request-log.ts";
export type { Readings } from "./readings.ts";
