import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const KINDS = new Set([".js", ".css", ".svg", ".json", ".wasm"]);
/** Smaller files gain nothing. */
const LEAST_BYTES = 1_024;

/**
 * A part of the build of the web pages: puts `<file>.gz` beside each file that is sent often and can be smaller.
 * @returns {import("vite").Plugin}
 */
export function packed() {
  let folder = "";
  return {
    name: "packed",
    apply: "build",
    configResolved: (config) => {
      folder = join(config.build.outDir, "assets");
    },
    writeBundle: () => {
      for (const name of readdirSync(folder)) {
        if (!KINDS.has(extname(name))) continue;
        const content = readFileSync(join(folder, name));
        if (content.length >= LEAST_BYTES) writeFileSync(join(folder, `${name}.gz`), gzipSync(content));
      }
    },
  };
}
