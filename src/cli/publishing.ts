import type { Environment } from "./settings.ts";

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

export function publishingOf(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}
