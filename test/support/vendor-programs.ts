import { resolve } from "node:path";
import { findProgram, type VendorProgramName } from "../../src/engines/vendor/programs.ts";

/** Where scripts/programs.mjs puts the programs that the tests run; `SALLYPORT_PROGRAMS_FOLDER` of a test's server. */
export const PROGRAMS_FOLDER = resolve(import.meta.dirname, "../../node_modules/.cache/sallyport-programs");

/** Where a vendor's program is; undefined: it is not in the cache, and its tests are left out. */
export function vendorProgram(name: VendorProgramName): string | undefined {
  return findProgram(name, { installed: PROGRAMS_FOLDER })[0];
}
