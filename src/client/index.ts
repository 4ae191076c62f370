export { SallyportClient, type ClientOptions } from "./client.ts";
export { MountClient, type MountClientOptions } from "./files.ts";
export { LiveConnection, type FeedOpened } from "./live.ts";
export type { LiveStatus } from "./live-socket.ts";
export * from "../protocol/index.ts";
