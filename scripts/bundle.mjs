// The server and its commands as a few files, in dist/bundle: Node opens and compiles about a thousand otherwise, which takes more than
// half of the time that a command needs. `dist/cli/main.js` runs it where it is as new as what it was made of.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build } from "vite";

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
  const packages = new Set();
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    plugins: [keepPlaces(dist, outDir), noteOf(packages, join(root, "node_modules"))],
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
  writeFileSync(join(outDir, "THIRD-PARTY.txt"), licences(root, packages));
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

/** Collects the packages whose code is in the bundle. */
function noteOf(packages, modules) {
  return {
    name: "note-packages",
    generateBundle(_, files) {
      for (const file of Object.values(files))
        for (const id of file.type === "chunk" ? file.moduleIds : []) {
          const [, name] =
            /^[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id.startsWith(modules) ? id.slice(modules.length) : "") ?? [];
          if (name !== undefined) packages.add(name);
        }
    },
  };
}

function licences(root, packages) {
  const texts = [...packages]
    .toSorted((left, right) => (left < right ? -1 : 1))
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
      return `${name} ${version} (${license})${text}`;
    });
  return `The files beside this one contain code of these packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
