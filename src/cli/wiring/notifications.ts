import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "../../protocol/index.ts";
import { newVapidSecret, type IdentityDependencies, type NotificationDependencies } from "../../sessions/index.ts";
import { PUSH_KEY_FILE } from "../home/files.ts";
import { SECRETS } from "./identity.ts";
import { kept } from "../home/kept-secret.ts";
import { replacePrivateFile } from "../home/private-file.ts";
import type { Settings } from "../settings/settings.ts";

interface NotificationWiring {
  readonly settings: Settings;
  readonly home: string;
  readonly redact: Redactor;
  readonly identity: IdentityDependencies;
}

/** The key to push services, and where addresses and secrets of targets are kept. */
export async function openNotifications({
  settings,
  home,
  redact,
  identity,
}: NotificationWiring): Promise<NotificationDependencies> {
  const vapidSecret = await kept(join(home, PUSH_KEY_FILE), newVapidSecret);
  redact.learn(vapidSecret);
  return {
    vapidSecret,
    hosts: settings.notificationHosts.value.map((host) => host.toLowerCase()),
    secrets: {
      read: identity.secret,
      keep: (path, value) => replacePrivateFile(join(home, SECRETS, path), `${value}\n`),
      remove: (path) => rm(join(home, SECRETS, path), { force: true }),
    },
  };
}
