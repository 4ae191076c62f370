import { delimiter, isAbsolute } from "node:path";
import { z } from "zod";
import { VENDOR_PROGRAMS, type ProgramPlaces, type VendorProgramName } from "../../engines/vendor/programs.ts";
import { LIMITS } from "../../protocol/index.ts";
import type { Environment, Settings } from "./settings.ts";

const names = Object.keys(VENDOR_PROGRAMS) as [VendorProgramName, ...VendorProgramName[]];

/** Vendors' programs by their names. */
export const ProgramSettings = z.partialRecord(z.enum(names), z.string().min(1).max(LIMITS.pathChars));
export type ProgramSettings = z.infer<typeof ProgramSettings>;

/** The folders of `PATH`. */
export function searchPathOf(environment: Environment): readonly string[] {
  return (environment["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

/** Where a vendor's program is looked for. */
export function programPlaces(
  name: VendorProgramName,
  settings: Pick<Settings, "programs" | "programsFolder">,
  environment: Environment,
): ProgramPlaces {
  return {
    executable: settings.programs.value[name],
    installed: settings.programsFolder.value,
    searchPath: searchPathOf(environment),
  };
}
