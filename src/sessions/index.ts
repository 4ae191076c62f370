export type { Caller } from "./access/access.ts";
export { CHECKPOINTS, type Checkpoint } from "./core/checkpoints.ts";
export type { Frame } from "./core/frames.ts";
export type { FeedBatch } from "./lifecycle/feed.ts";
export { Gateway } from "./gateway.ts";
export type { ClientQueue } from "./lifecycle/client-queue.ts";
export type { PageConnection } from "./services/page-service.ts";
export type { PageProtocol } from "./page-tools/page-protocol.ts";
export type { SessionShell } from "./services/workspaces/shell-service.ts";
export type { OfferedProvider } from "./services/models/provider-service.ts";
export type {
  Clock,
  ExpiryClock,
  ChosenBounds,
  IdentityDependencies,
  Models,
  NotificationDependencies,
  TunnelDependencies,
} from "./dependencies.ts";
export { newVapidSecret } from "./notifications/web-push.ts";
export type { ClientTool } from "../tools/index.ts";
export { settingWay, type McpServerBook } from "./mcp/definitions.ts";
export { McpValues } from "./mcp/values.ts";
export { checkedHooks } from "./permission/tool-hooks.ts";
export type { UsualSandbox } from "./settings/walls.ts";
export { isStored, sweepWarm } from "./lifecycle/warm.ts";
export { openInTree } from "./workspace/own-tree.ts";
export { openEnvironment, sweepEnvironments, type EnvironmentOptions } from "./workspace/environment.ts";
export type { MessageContext } from "./workspace/repository-context.ts";
export type { ConsoleDoor, OpenTunnelSessions, SessionTerms } from "./services/tunnels/tunnel-offer-service.ts";
