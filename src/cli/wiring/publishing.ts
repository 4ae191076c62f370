import { join } from "node:path";
import type { Environment, Settings } from "../settings/settings.ts";

/** The folder of the home with what the files of sessions were, turn by turn. */
export const RECORDINGS = "recordings";

/**
 * What git, gh and glab find logins by when a person pushes from a session. They run as the server's user, outside of sandboxes, and no
 * session ever sees these.
 */
const VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GH_CONFIG_DIR",
  "GITLAB_TOKEN",
  "GLAB_CONFIG_DIR",
] as const;

interface ChangeParts {
  readonly recordings: {
    readonly folder: (session_id: string) => string;
    readonly home: string;
    readonly isOn: boolean;
  };
  readonly publishing: Readonly<Record<string, string>>;
}

/** What recording and pushing the changes of sessions needs. */
export function changeParts(
  { settings, environment }: { readonly settings: Pick<Settings, "recordFiles">; readonly environment: Environment },
  home: string,
): ChangeParts {
  const known = VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  return {
    recordings: {
      folder: (session_id) => join(home, RECORDINGS, session_id),
      home,
      isOn: settings.recordFiles.value,
    },
    publishing: Object.fromEntries(known) as Record<string, string>,
  };
}
