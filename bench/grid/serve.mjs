import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const ROOT = resolve(import.meta.dirname, "../..");
const TYPES = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".html": "text/html; charset=utf-8",
};
const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" nonce="served"><title>Grid</title><link rel="stylesheet" href="/page.css"><script src="/assets/before-1.js"></script><script type="module" src="/page.js"></script></head><body></body></html>`;
/** As strict as the workbench's own. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-served'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src 'self'";

const STYLES = join(ROOT, "src/web/ui/styles.css");

/** Puts the workbench's styles before a page's script. */
const styled = (entry) => ({
  name: "styled",
  transform: (code, id) => (id === entry ? `import ${JSON.stringify(STYLES)};\n${code}` : undefined),
});

/** A page of our own around a part of the workbench, bundled as the workbench is. */
export async function servePage(entry) {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-grid-"));
  await build({
    configFile: false,
    logLevel: "error",
    root: join(ROOT, "src/web"),
    base: "/",
    publicDir: "public",
    plugins: [styled(entry), react(), tailwindcss()],
    worker: { format: "es" },
    build: {
      outDir: folder,
      target: "es2023",
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2_000,
      cssCodeSplit: false,
      rolldownOptions: {
        input: { page: entry },
        output: {
          entryFileNames: "[name].js",
          assetFileNames: (file) => (file.names[0]?.endsWith(".css") ? "page.css" : "[name]-[hash][extname]"),
        },
      },
    },
  });
  const answer = async (request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const content = path === "/" ? PAGE : await readFile(join(folder, resolve("/", path)));
    response.setHeader("content-type", TYPES[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream");
    response.setHeader("content-security-policy", POLICY);
    response.end(content);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise((resolved) => server.listen(0, "127.0.0.1", resolved));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: async () => {
      await new Promise((resolved) => server.close(resolved));
      await rm(folder, { recursive: true });
    },
  };
}
