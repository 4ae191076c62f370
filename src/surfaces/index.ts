export { listen, type Listening } from "./server.ts";
export type { WriteAccessLine } from "./request-log.ts";
export type { SecureDoor } from "./console-door.ts";
export { SYSTEM_CLOCK } from "./surface.ts";
