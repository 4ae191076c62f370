import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const KINDS = new Set([".js", ".css", ".svg", ".json", ".wasm"]);
/** Smaller files gain nothing. */
const LEAST_BYTES = 1_024;
/** Of larger files only the packed form stays: the few who do not take it get it unpacked on the way. */
const ONE_FORM_BYTES = 4_000_000;

/**
 * A part of the build of the web pages: puts `<file>.gz` beside each file that is sent often and can be smaller,
 * and in the place of very large ones.
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
        if (content.length < LEAST_BYTES) continue;
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
        if (content.length >= ONE_FORM_BYTES) rmSync(join(folder, name));
      }
    },
  };
}
