import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_POLICY, parsePolicyYaml } from "../gate/index.ts";
import { Failure, mountProfile, mountProfileName, type Policy } from "../protocol/index.ts";
import { POLICY_FILE } from "./files.ts";
import type { Settings } from "./settings.ts";

/** The policy of the home's file, with a profile for each mount that sets limits. Undefined: there is neither. */
export async function loadPolicyFile(home: string, settings: Settings): Promise<Policy | undefined> {
  const text = await readPolicyFile(join(home, POLICY_FILE));
  return withMounts(text === undefined ? undefined : parsePolicyYaml(text), settings);
}

/** Each mount that sets limits has a profile of its own, which the policy file may replace. */
function withMounts(file: Policy | undefined, { mounts }: Settings): Policy | undefined {
  const profiles = Object.entries(mounts?.value ?? {}).flatMap(([path, setting]) => {
    const profile = mountProfile(setting);
    return profile === undefined ? [] : [[mountProfileName(path), profile] as const];
  });
  if (profiles.length === 0) return file;
  const { default_profile, profiles: others } = file ?? DEFAULT_POLICY;
  return {
    ...file,
    default_profile,
    profiles: { ...Object.fromEntries(profiles), ...(file === undefined ? {} : others) },
  };
}

/** Nothing where there is no such file; one that cannot be read is no reason to run without it. */
async function readPolicyFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Failure(
      "invalid_request",
      `${path} is there but cannot be read: ${error instanceof Error ? error.message : "?"}`,
    );
  }
}
