export { SallyportClient, type ClientOptions } from "./client.ts";
export * from "../protocol/index.ts";
