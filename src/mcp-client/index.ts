export type { ServerDefinition, ServerWay } from "./definition.ts";
export { openConnection, reasonOf } from "./connection.ts";
export { ServerClient, type ServerClientMeans } from "./server-client.ts";
