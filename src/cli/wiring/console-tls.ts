import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { certificateFingerprint, makeSelfSigned, tlsFault, type TlsCredential } from "../../identity/index.ts";
import type { Log } from "../../protocol/index.ts";
import type { ConsoleDoor } from "../../sessions/index.ts";
import type { SecureDoor } from "../../surfaces/index.ts";

/** Files of an operator's own certificate, PEM. */
export interface ConsoleTlsFiles {
  readonly certificate: string;
  readonly key: string;
}

interface ConsoleTlsOptions {
  readonly home: string;
  /** Absent: a certificate of our own, signed by itself, for each host. */
  readonly files?: ConsoleTlsFiles | undefined;
  readonly door: SecureDoor;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

interface ReadyCertificate {
  readonly stamp: string;
  readonly context: SecureContext;
  readonly fingerprint: string;
}

const FOLDER = "console-tls";
/** Our own certificate is made anew when it has less left than this. */
const RENEW_MS = 7 * 86_400_000;

/** The console for people who come through tunnels. Their TLS ends here: no machine on the way has the key. */
export function openConsoleTls(options: ConsoleTlsOptions): ConsoleDoor {
  const ready = new Map<string, ReadyCertificate>();
  const certificateFor = (address: string): ReadyCertificate | undefined => {
    const [host = ""] = address.split(":");
    try {
      const found = prepared(options, host, ready.get(host));
      ready.set(host, found);
      return found;
    } catch (error) {
      options.log.warn({ host, err: error }, "the console cannot be reached through tunnels");
      return undefined;
    }
  };
  return {
    take: (address) => {
      const certificate = certificateFor(address);
      return certificate === undefined ? undefined : (stream) => options.door.take(stream, certificate.context);
    },
    fingerprint: (address) => certificateFor(address)?.fingerprint,
  };
}

/** The certificate as its files are now: an operator's is renewed while the server runs. */
function prepared(
  { home, files, now }: ConsoleTlsOptions,
  host: string,
  before: ReadyCertificate | undefined,
): ReadyCertificate {
  const folder = join(home, FOLDER);
  const own = { certificate: join(folder, `${host}.crt`), key: join(folder, `${host}.key`) };
  if (files === undefined) renewOwn(own, host, now());
  const { certificate, key } = files ?? own;
  const stamp = [certificate, key].map((file) => `${statSync(file).mtimeMs} ${statSync(file).size}`).join(" ");
  if (before?.stamp === stamp) return before;
  const read = { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
  const fault = tlsFault(read, host, now());
  if (fault !== undefined) throw new Error(fault);
  return {
    stamp,
    context: createSecureContext({ key: read.key, cert: read.certificate }),
    fingerprint: certificateFingerprint(read.certificate),
  };
}

function renewOwn({ certificate, key }: ConsoleTlsFiles, host: string, now: number): void {
  if (tlsFault({ certificate: textOf(certificate), key: textOf(key) }, host, now + RENEW_MS) === undefined) return;
  const made: TlsCredential = makeSelfSigned(host, now);
  mkdirSync(dirname(key), { recursive: true, mode: 0o700 });
  const drafts = [
    { file: key, text: made.key },
    { file: certificate, text: made.certificate },
  ] as const;
  try {
    // Both are written before one is replaced: where the disk is full, the old pair goes on.
    for (const { file, text } of drafts) {
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      chmodSync(`${file}.new`, 0o600);
    }
    for (const { file } of drafts) renameSync(`${file}.new`, file);
  } finally {
    for (const { file } of drafts) rmSync(`${file}.new`, { force: true });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
