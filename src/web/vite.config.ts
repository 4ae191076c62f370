import { resolve } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { packed } from "../../scripts/packed.mjs";
import { pageParts } from "../../scripts/page-parts.mjs";
import { pureSchemas } from "../../scripts/pure-schemas.mjs";
import { CONSOLE_PAGES } from "../protocol/connections/console-pages.ts";
import { thirdParty } from "../../scripts/third-party.mjs";

const here = import.meta.dirname;
const licences = thirdParty(resolve(here, "../.."));

/** Files that only define things: what a page does not use of them is left out, their schemas with it. */
const PLAIN = /[\\/]src[\\/](?:protocol|client)[\\/]/;

const parts = pageParts({
  root: here,
  shells: ["console/main.tsx", "workbench/main.tsx"],
  opened: {
    "/sessions": ["console/pages/sessions/page.tsx"],
    // What agents write is Markdown.
    "/sessions/:id": ["console/pages/session/page.tsx", "console/transcript/markdown.tsx"],
  },
  isPlain: (id: string) => PLAIN.test(id),
  late: /[\\/]node_modules[\\/]zod[\\/]/,
});

/** Addresses at which the server hands out the console, for the service worker. */
const CONSOLE_PATHS = `^/(?:new|agent|sessions/[^/]+(?:/(?:changes|compare|files|terminal))?|${CONSOLE_PAGES.map(({ to }) => to.slice(1)).join("|")})?$`;

const STYLESHEET = /\n\s*<link rel="stylesheet"[^>]*>/g;

/**
 * A page that shows something of its own at once must not wait for the stylesheet: it comes after that, and still before any script runs,
 * since scripts wait for stylesheets that stand before the end of the page. The large scripts leave the line to it.
 */
const stylesAfterOpening = {
  name: "styles-after-opening",
  transformIndexHtml: {
    order: "post" as const,
    handler: (html: string): string => {
      if (!html.includes('class="opening"')) return html;
      const links = html.match(STYLESHEET) ?? [];
      return html
        .replaceAll('<script type="module" ', '<script type="module" fetchpriority="low" ')
        .replaceAll(STYLESHEET, "")
        .replace("<noscript>", `${links.join("").trim()}\n    <noscript>`);
    },
  },
};

/** The pages that the server hands out. What they load is in `assets`, under names that change with their content. */
export default defineConfig({
  root: here,
  base: "/",
  plugins: [
    react(),
    tailwindcss(),
    pureSchemas((id) => PLAIN.test(id)),
    packed(parts.isSoon),
    parts.plugin,
    licences.plugin,
    stylesAfterOpening,
  ],
  // The server puts a fresh one in for each page: see src/surfaces/web-pages.ts.
  define: { CONSOLE_PATHS: JSON.stringify(CONSOLE_PATHS) },
  html: { cspNonce: "__CSP_NONCE__" },
  worker: { format: "es", plugins: () => [licences.worker] },
  build: {
    outDir: resolve(here, "../../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    // The largest chunk is the highlighter's grammar of C++, which only code in that language loads.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // How long its parts take is nobody's concern here.
      checks: { bundlerTimings: false, pluginTimings: false },
      treeshake: { moduleSideEffects: (id) => !PLAIN.test(id) },
      input: {
        console: resolve(here, "console/index.html"),
        workbench: resolve(here, "workbench/index.html"),
        // Its address stays the same, and nothing else may be in its way: it imports nothing.
        sw: resolve(here, "console/service-worker.ts"),
      },
      output: {
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        codeSplitting: { groups: parts.groups },
      },
    },
  },
});
