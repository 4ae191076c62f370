import { resolve } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { packed } from "../../scripts/packed.mjs";

const here = import.meta.dirname;

/** The pages that the server hands out. What they load is in `assets`, under names that change with their content. */
export default defineConfig({
  root: here,
  base: "/",
  plugins: [react(), tailwindcss(), packed()],
  // The server puts a fresh one in for each page: see src/surfaces/web-pages.ts.
  html: { cspNonce: "__CSP_NONCE__" },
  worker: { format: "es" },
  build: {
    outDir: resolve(here, "../../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    // The largest chunk is the diff viewer's highlighter, which only an approval loads.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: { console: resolve(here, "console/index.html"), workbench: resolve(here, "workbench/index.html") },
    },
  },
});
