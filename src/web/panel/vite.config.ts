import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { thirdParty } from "../../../scripts/third-party.mjs";

/** A catalogue, by the code of its language. */
const LANGUAGE = /^[a-z]{2}$/;

/**
 * `sallyport/panel` and `sallyport/panel/react`: everything that the panel needs except React, which the page has. Run from the root of the
 * repository.
 */
// oxlint-disable-next-line import/no-default-export -- what vite reads
export default defineConfig({
  root: "src/web/panel",
  plugins: [react(), thirdParty(process.cwd()).plugin],
  publicDir: false,
  build: {
    outDir: "../../../dist/panel",
    emptyOutDir: true,
    target: "es2023",
    lib: { entry: { index: "index.ts", react: "react.tsx" }, formats: ["es"] },
    rolldownOptions: {
      checks: { bundlerTimings: false, pluginTimings: false },
      external: ["react", "react/jsx-runtime"],
      // A library's spaces are left in otherwise.
      output: {
        minify: true,
        entryFileNames: "[name].js",
        chunkFileNames: ({ name }) => (LANGUAGE.test(name) ? "language-[name]-[hash].js" : "panel-[hash].js"),
      },
    },
  },
});
