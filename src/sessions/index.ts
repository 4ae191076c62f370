export type { Caller } from "./access.ts";
export { CHECKPOINTS, type Checkpoint } from "./checkpoints.ts";
export type { Frame } from "./frames.ts";
export type { FeedBatch } from "./feed.ts";
export { Gateway } from "./gateway.ts";
export type { Clock, Log, Models } from "./services.ts";
export type { LentTool } from "../tools/index.ts";
export { sweepWarm } from "./warm.ts";
export { openWorkshop, sweepWorkshops } from "./workshop.ts";
