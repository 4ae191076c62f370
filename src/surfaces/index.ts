export { listen, type Listening } from "./server.ts";
