// Brings the vendors' programs that the tests run into a cache of this clone. `npm test` calls it; alone: node scripts/programs.mjs [name …]
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root, setup } from "./setup.mjs";

/** One folder for each program, as `sallyport engine install` makes them. */
export const programsFolder = join(root, "node_modules", ".cache", "sallyport-programs");

/** Those that `npm test` runs; a soak run brings the others when they are named. */
const EVERYDAY = ["codex", "opencode", "gemini", "qwen"];

/** Installs what is missing, as `sallyport engine install` does. A program that cannot be had is said, and its tests are left out. */
export async function bringPrograms(names = EVERYDAY) {
  const built = (path) => import(pathToFileURL(join(root, "dist", path)).href);
  const { VENDOR_PROGRAMS } = await built("engines/vendor/programs.js");
  const { installProgram } = await built("cli/programs/install.js");
  for (const name of names) {
    const wanted = `${VENDOR_PROGRAMS[name].package}@${VENDOR_PROGRAMS[name].version}`;
    const stamp = join(programsFolder, name, ".installed");
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) continue;
    console.log(`Installing ${wanted} for the tests …`);
    try {
      await installProgram({ name, folder: programsFolder, environment: process.env, now: Date.now });
    } catch (error) {
      console.error(`${wanted} could not be installed, so its tests are left out: ${error.message}`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup();
  await bringPrograms(process.argv.length > 2 ? process.argv.slice(2) : undefined);
}
