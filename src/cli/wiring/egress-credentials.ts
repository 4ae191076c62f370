import type { HostCredential } from "../../network/index.ts";
import { Failure, type Log, type Redactor } from "../../protocol/index.ts";
import { openSource } from "../../proxy/providers/sources.ts";
import { sourceOf } from "../../proxy/providers/resolve.ts";
import type { Environment, Settings } from "../settings/settings.ts";

interface CredentialContext {
  readonly environment: Environment;
  readonly redact: Redactor;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, "warn">;
}

/** What the egress proxy adds to requests. Each secret is read when it is needed, and never leaves the server but in its header. */
export function openEgressCredentials(
  settings: Pick<Settings, "egressCredentials">,
  { environment, redact, now, signal, log }: CredentialContext,
): readonly HostCredential[] {
  return (settings.egressCredentials?.value ?? []).flatMap(
    ({ host: place, header = "authorization", user, ...setting }) => {
      const [host = "", port = "443"] = place.split(":");
      const [from] = sourceOf(setting, undefined);
      if (from === undefined) return [];
      const source = openSource(from, { owner: `the host ${place}`, environment, now, signal });
      const value = async (): Promise<string> => {
        const [secret] = await source.read();
        if (secret === undefined)
          throw new Failure("invalid_request", `${source.name} holds no credential for the host ${place}`);
        const text = written(secret.value, header, user);
        redact.learn(secret.value);
        redact.learn(text.split(" ").at(-1) ?? text);
        return text;
      };
      const read = (): Promise<string> =>
        value().catch((error: unknown) => {
          log.warn({ host: place, err: error }, "a credential for sandboxes cannot be read");
          throw error;
        });
      // At once: what is learned now is hidden wherever it turns up.
      void read().catch(() => undefined);
      return [{ host, port: Number(port), header, value: read }];
    },
  );
}

function written(secret: string, header: string, user: string | undefined): string {
  if (header.toLowerCase() !== "authorization") return secret;
  return user === undefined ? `Bearer ${secret}` : `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
