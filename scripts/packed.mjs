import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const KINDS = new Set([".js", ".css", ".svg", ".json", ".wasm"]);
/** Smaller files gain nothing. */
const LEAST_BYTES = 1_024;
/** Of larger files only the packed form stays: the few who do not take it get it unpacked on the way. */
const ONE_FORM_BYTES = 4_000_000;

/**
 * A part of the build of the web pages: puts `<file>.gz` beside each file that is sent often and can be smaller,
 * and in the place of very large ones. What a first page loads is packed with Brotli too, which is a tenth smaller and slow to make.
 * @param {(name: string) => boolean} isSoon
 * @returns {import("vite").Plugin}
 */
export function packed(isSoon) {
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
        if (isSoon(name)) writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
        if (content.length >= ONE_FORM_BYTES) rmSync(join(folder, name));
      }
    },
  };
}
