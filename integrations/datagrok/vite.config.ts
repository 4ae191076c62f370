import { resolve } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const product = resolve(here, "../../src");

/** What the platform has as globals. */
const PLATFORM = {
  "datagrok-api/grok": "grok",
  "datagrok-api/ui": "ui",
  "datagrok-api/dg": "DG",
  rxjs: "rxjs",
} as const;

/**
 * Datagrok loads `dist/package.js` as the global `sallyport` and, for tests, `dist/package-test.js` as `sallyport_test`:
 * one script each, so each is a build of its own (`vite build`, `vite build --mode test`).
 */
export default defineConfig(({ mode }) => {
  const name = mode === "test" ? "package-test" : "package";
  return {
    root: here,
    resolve: {
      alias: {
        "sallyport/client/runtime": resolve(product, "client/runtime.ts"),
        "sallyport/contexts": resolve(product, "contexts/index.ts"),
      },
    },
    build: {
      target: "es2022",
      outDir: "dist",
      emptyOutDir: mode !== "test",
      sourcemap: true,
      lib: {
        entry: resolve(here, `src/${name}.ts`),
        name: mode === "test" ? "sallyport_test" : "sallyport",
        formats: ["iife"],
        fileName: () => `${name}.js`,
      },
      rollupOptions: { external: Object.keys(PLATFORM), output: { globals: PLATFORM, extend: false } },
    },
  };
});
