import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, type Log, type ProviderSetting, type ProviderSettings } from "../../protocol/index.ts";
import { openProviders, type NetworkProxies, type ProviderHealth } from "../../proxy/index.ts";
import type { Models } from "../../sessions/index.ts";
import type { Environment } from "../settings/settings.ts";
import { editSettings, putEntry, settingsPath } from "../settings/file.ts";
import { replacePrivateFile } from "../home/private-file.ts";

/** Keys that were typed into the console, one file for each provider. */
const KEYS = "keys";
/** What holds the key while it is tested: no variable of the server's own. */
const TESTED = "SALLYPORT_KEY_UNDER_TEST";
const CREDENTIALS = ["credential_env", "credential_file", "credential_command", "credentials"] as const;

interface KeyKeeping {
  readonly home: string;
  readonly environment: Environment;
  /** The newest settings. */
  readonly providers: () => ProviderSettings;
  readonly simUrl: string;
  readonly networkProxies: NetworkProxies;
  readonly now: () => number;
  readonly learn: (secret: string) => void;
  readonly log: Log;
}

/** Keeps a provider's key in a file that only the server's user can read, once one request has shown that the provider takes it. */
export function keyKeeper(options: KeyKeeping): NonNullable<Models["keepKey"]> {
  return async (id, key) => {
    const { home, environment, providers, learn } = options;
    learn(key);
    const setting = providers()[id];
    if (setting?.auth === "none") throw new Failure("invalid_request", `the provider ${id} needs no key`);
    const health = await tried(options, { id, key, setting });
    if (health.status !== "ok") return health;
    const file = join(home, KEYS, id);
    const before = await readFile(file, "utf8").catch(() => undefined);
    await replacePrivateFile(file, `${key}\n`);
    try {
      await editSettings({ path: settingsPath(home), environment }, (document) =>
        putEntry(document, ["providers", id], { fields: { credential_file: `${KEYS}/${id}` }, without: CREDENTIALS }),
      );
    } catch (error) {
      // A key that the settings cannot name is not kept, and the one before it stays.
      await (before === undefined ? rm(file, { force: true }) : replacePrivateFile(file, before));
      throw error;
    }
    await untilRead(() => providers()[id]?.credential_file === file);
    return health;
  };
}

const LOOKS = 30;
const LOOK_MS = 100;

/** The settings are looked at every so often: who keeps a key uses it next. */
async function untilRead(isRead: () => boolean): Promise<void> {
  for (let looks = 0; looks < LOOKS && !isRead(); looks += 1) await pause(LOOK_MS);
}

/** What the provider says to the key, by the same request as for a key that is kept. */
async function tried(
  { environment, providers, simUrl, networkProxies, now, learn, log }: KeyKeeping,
  { id, key, setting }: { readonly id: string; readonly key: string; readonly setting: ProviderSetting | undefined },
): Promise<ProviderHealth> {
  const plain = Object.fromEntries(
    Object.entries(setting ?? {}).filter(([name]) => !CREDENTIALS.some((one) => one === name)),
  );
  const settings: ProviderSettings = { ...providers(), [id]: { ...plain, credential_env: TESTED } };
  const book = openProviders({
    settings: () => settings,
    environment: { ...environment, [TESTED]: key },
    simUrl,
    networkProxies,
    now,
    learn,
    log,
  });
  try {
    return await book.test(id);
  } finally {
    book.close();
  }
}
