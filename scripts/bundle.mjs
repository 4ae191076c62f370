// The server and its commands as a few files, in dist/bundle: Node opens and compiles about a thousand otherwise, which takes more than
// half of the time that a command needs. `dist/cli/main.js` runs it where it is as new as what it was made of.
import { rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build } from "vite";
import { thirdParty } from "./third-party.mjs";

/** Packages that find files of their own beside themselves, or that few runs need. */
const OUTSIDE = [
  "@agentclientprotocol/sdk",
  "@anthropic-ai/claude-agent-sdk",
  "@modelcontextprotocol/server",
  "@opentelemetry/api",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@photostructure/sqlite",
  "@vscode/ripgrep",
  "koffi",
  "libpg-query",
  "pg",
  "pino",
];

export async function bundle(root) {
  const dist = join(root, "dist");
  const outDir = join(dist, "bundle");
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [keepPlaces(dist, outDir), thirdParty(root).plugin],
    ssr: { noExternal: true, external: OUTSIDE },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      minify: false,
      target: "node20",
      rolldownOptions: {
        // How long its parts take is nobody's concern here.
        checks: { bundlerTimings: false, pluginTimings: false },
        input: join(dist, "cli", "program.js"),
        output: { entryFileNames: "program.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

/**
 * The programs that run inside sandboxes, or between one and the server: each is one file, in dist/inside. A sandbox shows no folder
 * around it that says of what kind its modules are, so their names do.
 */
const INSIDE = {
  helper: "sandbox/remote/inside.js",
  ports: "sandbox/remote/ports.js",
  "multiplexer-inside": "sandbox/container/multiplexer-inside.js",
  "multiplexer-outside": "sandbox/container/multiplexer-outside.js",
};

export async function bundleInside(root) {
  const dist = join(root, "dist");
  const outDir = join(dist, "inside");
  rmSync(outDir, { recursive: true, force: true });
  for (const [name, file] of Object.entries(INSIDE))
    await build({
      configFile: false,
      root,
      logLevel: "warn",
      ssr: { noExternal: true },
      build: {
        ssr: true,
        outDir,
        emptyOutDir: false,
        minify: false,
        target: "node20",
        rolldownOptions: {
          checks: { bundlerTimings: false, pluginTimings: false },
          input: join(dist, file),
          output: { entryFileNames: `${name}.mjs` },
        },
      },
    });
}

/** A module that looks for a file beside itself looks beside the file that it was made of. */
function keepPlaces(dist, outDir) {
  return {
    name: "keep-places",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(dist + sep) || !code.includes("import.meta.url")) return undefined;
      const place = relative(outDir, id).split(sep).join("/");
      return {
        code: code.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`),
        map: null,
      };
    },
  };
}
