// Fails where two files under src/ define a type of the same name: one word, one type. Part of `npm run check`.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEFINITION = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) ([A-Za-z0-9_]+)/gm;

/** @type {Map<string, Set<string>>} */
const files = new Map();
for (const entry of readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(DEFINITION)) {
    const found = files.get(name) ?? new Set();
    files.set(name, found.add(relative(ROOT, path)));
  }
}

const twice = [...files].filter(([, found]) => found.size > 1);
for (const [name, found] of twice) console.error(`${name} is defined in ${[...found].sort().join(" and ")}`);
if (twice.length > 0) {
  console.error(`${twice.length} type names are defined in more than one file: give each meaning a name of its own.`);
  process.exitCode = 1;
}
