import { join } from "node:path";
import { IdentityKeys, secretsIn } from "../../identity/index.ts";
import type { MountSettings, Redactor } from "../../protocol/index.ts";
import type { IdentityDependencies } from "../../sessions/index.ts";

/** Private keys of this gateway and of its principals, one file each. */
const IDENTITIES = "identities";
/** Pre-shared keys, one file each. */
export const SECRETS = "secrets";

/** The keys in a home folder. Nothing is made until somebody needs it. */
export function identityKeys(home: string, learn: (secret: string) => void): IdentityKeys {
  return new IdentityKeys({ folder: join(home, IDENTITIES), learn });
}

export function openIdentity({
  home,
  redact,
  mounts,
}: {
  readonly home: string;
  readonly redact: Redactor;
  readonly mounts: MountSettings | undefined;
}): IdentityDependencies {
  const learn = (secret: string): void => redact.learn(secret);
  return {
    keys: identityKeys(home, learn),
    secret: secretsIn({ folder: join(home, SECRETS), learn }),
    setting: mounts?.["/identity"],
  };
}
