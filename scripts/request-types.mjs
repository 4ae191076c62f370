/**
 * Reads from a vendor's library every field that its request types have, with the compiler that we build with.
 *
 *   node scripts/request-types.mjs <folder of the package `openai`>
 *
 * records OpenAI's in test/proxy/sdk/openai.json: its newest version wants a newer Node.js than we do, so it is no package of
 * ours. Anthropic's is read where it is installed, each time the tests run.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { API } from "typescript/unstable/sync";

const COMPILER_OPTIONS = {
  strict: true,
  module: "nodenext",
  moduleResolution: "nodenext",
  target: "es2023",
  skipLibCheck: true,
  types: [],
  lib: ["es2023", "dom"],
};

/** For each named type: its own fields, and the fields of all objects within by the `type` of the object (or `""`). */
export function readRequestTypes(sources) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-types-")));
  try {
    const lines = sources.map(
      ({ name, type, file }) => `export type { ${type} as ${name} } from ${JSON.stringify(file)};`,
    );
    writeFileSync(join(folder, "types.ts"), lines.join("\n"));
    const config = join(folder, "tsconfig.json");
    writeFileSync(config, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ["types.ts"] }));
    const api = new API({ cwd: folder });
    try {
      const [project] = api.updateSnapshot({ openProject: config }).getProjects();
      const { checker, program } = project;
      const module = checker.getSymbolAtLocation(program.getSourceFile(join(folder, "types.ts")));
      return Object.fromEntries(
        checker.getExportsOfModule(module).map((symbol) => {
          const declared = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol));
          return [symbol.name, fieldsOf(checker, declared)];
        }),
      );
    } finally {
      api.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fieldsOf(checker, root) {
  const top = new Set();
  const parts = new Map();
  const seen = new Set();
  const open = [{ type: root, isTop: true }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { type, isTop } = next;
    const mark = `${type?.id} ${isTop}`;
    if (type === undefined || seen.has(mark)) continue;
    seen.add(mark);
    if (type.isUnionType() || type.isIntersectionType()) {
      for (const part of type.getTypes()) open.push({ type: part, isTop });
      continue;
    }
    if (!type.isObjectType()) continue;
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      for (const item of checker.getTypeArguments(type)) open.push({ type: item, isTop });
      continue;
    }
    const properties = checker.getPropertiesOfType(type);
    const types = checker.getTypeOfSymbol(properties);
    const names = properties.map(({ name }) => name);
    for (const tag of isTop ? [] : tagsOf(types[names.indexOf("type")])) {
      const known = parts.get(tag) ?? new Set();
      parts.set(tag, known);
      for (const name of names) known.add(name);
    }
    for (const [index, name] of names.entries()) {
      if (isTop) top.add(name);
      open.push({ type: types[index], isTop: false });
    }
  }
  return {
    fields: sorted(top),
    parts: Object.fromEntries(sorted(parts.keys()).map((tag) => [tag, sorted(parts.get(tag))])),
  };
}

/** The words that an object's `type` may be. */
function tagsOf(type) {
  const options = type === undefined ? [] : type.isUnionType() ? type.getTypes() : [type];
  const tags = options.map(({ value }) => value).filter((value) => typeof value === "string");
  return tags.length === 0 ? [""] : tags;
}

function sorted(names) {
  return [...names].sort((one, other) => (one < other ? -1 : 1));
}

function record(folder) {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const types = readRequestTypes([
    { name: "responses", type: "ResponseCreateParams", file: join(folder, "resources/responses/responses.js") },
    {
      name: "chat",
      type: "ChatCompletionCreateParams",
      file: join(folder, "resources/chat/completions/completions.js"),
    },
  ]);
  const target = new URL("../test/proxy/sdk/openai.json", import.meta.url);
  writeFileSync(target, `${JSON.stringify({ version, ...types }, undefined, 2)}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  record(resolve(process.argv[2] ?? "node_modules/openai"));
}
