export * from "./accept.ts";
export * from "./dial.ts";
export * from "./dispatcher.ts";
export * from "./endpoints.ts";
export * from "./handshake.ts";
export * from "./link.ts";
export * from "./offers.ts";
export * from "./serve.ts";
