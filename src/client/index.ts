export { SallyportClient, type ClientOptions } from "./client.ts";
export { MountClient, type MountClientOptions } from "./files.ts";
export { LiveConnection, type FeedOpened, type LiveConnectionOptions } from "./live.ts";
export type { LiveStatus } from "./live-socket.ts";
export { ShellConnection, type ShellEvents, type ShellRequest } from "./shell.ts";
export type { SessionListFilter } from "./paths.ts";
export type { OfferedPage, PageOffer, PageOfferStatus } from "./page-tools/page-tools.ts";
export type { TokenSource } from "./token.ts";
export { pageTool, type McpTools, type PageTool, type PageToolCall } from "./page-tools/page-tools-kinds.ts";
export { Failure } from "../protocol/failure.ts";
export { FileFailure } from "../protocol/dialects/mount/errno.ts";
export { PROTOCOL_VERSION } from "../protocol/version.ts";
// Types only: the schemas need a library that is larger than all of this. They are in `sallyport/protocol`.
export type * from "../protocol/index.ts";
