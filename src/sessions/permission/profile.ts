import {
  DEFAULT_MOUNT_PROFILES,
  defaultMountProfile,
  Failure,
  type Policy,
  type Profile,
} from "../../protocol/index.ts";

export function profileOf(policy: Policy, name: string): Profile {
  const profile = Object.hasOwn(policy.profiles, name) ? policy.profiles[name] : undefined;
  if (profile === undefined && DEFAULT_MOUNT_PROFILES.has(name))
    return defaultMountProfile(profileOf(policy, policy.default_profile));
  if (profile === undefined) {
    throw new Failure(
      "invalid_request",
      `there is no policy profile ${JSON.stringify(name)}; there are: ${Object.keys(policy.profiles).join(", ")}`,
    );
  }
  return profile;
}
