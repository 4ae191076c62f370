import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = import.meta.dirname;

/** `sallyport/panel` and `sallyport/panel/react`: all that the panel needs but React, which the page has. */
export default defineConfig({
  root: here,
  plugins: [react()],
  publicDir: false,
  build: {
    outDir: resolve(here, "../../../dist/panel"),
    emptyOutDir: true,
    target: "es2023",
    lib: { entry: { index: resolve(here, "index.ts"), react: resolve(here, "react.tsx") }, formats: ["es"] },
    rolldownOptions: {
      external: ["react", "react/jsx-runtime"],
      // A library's spaces are left in otherwise.
      output: { minify: true, entryFileNames: "[name].js", chunkFileNames: "panel-[hash].js" },
    },
  },
});
