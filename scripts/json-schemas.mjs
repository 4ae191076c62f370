// Writes the JSON Schema files of `schemas/` from what is built: `node scripts/json-schemas.mjs` after a build.
import { mkdirSync, writeFileSync } from "node:fs";
import { JSON_SCHEMAS } from "../dist/protocol/schemas.js";

const folder = new URL("../schemas/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(JSON_SCHEMAS))
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(schema, null, 2)}\n`);
