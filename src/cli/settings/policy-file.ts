import { join } from "node:path";
import { DEFAULT_POLICY, parsePolicyYaml } from "../../gate/index.ts";
import { mountProfile, mountProfileName, type Policy } from "../../protocol/index.ts";
import { POLICY_FILE } from "../home/files.ts";
import type { Settings } from "./settings.ts";
import { readTextFile } from "./text-file.ts";

/** The policy file of the home, plus a profile for each mount with limits. Undefined: there is neither. */
export function loadPolicyFile(home: string, settings: Settings): Policy | undefined {
  const path = join(home, POLICY_FILE);
  const text = readTextFile(path);
  return withMounts(text === undefined ? undefined : parsePolicyYaml(text, path), settings);
}

/** Each mount with limits has its own profile, which the policy file may replace. */
function withMounts(file: Policy | undefined, { mounts }: Settings): Policy | undefined {
  const profiles = Object.entries(mounts?.value ?? {}).flatMap(([path, setting]) => {
    const profile = setting === undefined || setting.type === "identity" ? undefined : mountProfile(setting);
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
