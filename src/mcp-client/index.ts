export type { ServerDefinition, ServerWay } from "./definition.ts";
export { openConnection, reasonOf } from "./connection.ts";
export { ServerClient } from "./server-client.ts";
