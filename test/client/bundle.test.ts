import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { describe, expect, it } from "vitest";

const dist = resolve(import.meta.dirname, "../../dist/client");

/** What a page would load. */
async function bundle(entry: string, external: readonly string[]): Promise<Rolldown.OutputChunk> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    root: dist,
    build: {
      lib: { entry: resolve(dist, entry), formats: ["es"], fileName: "bundle" },
      write: false,
      minify: true,
      rolldownOptions: { external: [...external] },
    },
  })) as readonly { readonly output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[] }[];
  const [chunk, ...more] = built[0]?.output ?? [];
  if (chunk?.type !== "chunk" || more.length > 0) throw new Error("it is not one file");
  return chunk;
}

describe("in a page", () => {
  it.each([
    ["index.js", [], 20_000],
    ["runtime.js", ["rxjs"], 5_000],
  ] as const)("%s is small and brings no library along", async (entry, external, most) => {
    const { code, moduleIds, imports } = await bundle(entry, external);
    const size = gzipSync(code).length;
    expect({
      small: size <= most,
      libraries: moduleIds.filter((id) => id.includes("node_modules")),
      imports,
      ofNode: /\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/.test(code),
    }).toEqual({ small: true, libraries: [], imports: external, ofNode: false });
  });
});
