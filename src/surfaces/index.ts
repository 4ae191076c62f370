export { listen, type Listening } from "./server.ts";
export type { WriteAccessLine } from "./request-log.ts";
export { SYSTEM_CLOCK } from "./surface.ts";
