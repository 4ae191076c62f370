import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setup } from "./setup.mjs";

await setup({ packages: "start" });
// The server runs in this process, so that signals reach it once and its exit code is ours.
const main = join(root, "dist", "cli", "main.js");
process.argv.splice(1, 1, main, "serve");
await import(pathToFileURL(main).href);
