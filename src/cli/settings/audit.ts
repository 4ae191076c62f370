import { createHash } from "node:crypto";
import { SYSTEM, type NewId, type Log } from "../../protocol/index.ts";
import type { DocumentStore } from "../../store/index.ts";
import type { NewestSettings } from "./settings.ts";

const KINDS = { prices: "price", providers: "provider", failover: "failover" } as const;
type AuditedKind = keyof typeof KINDS;
/** By name, the hash of the value: enough to see a change, without holding a key. */
type Marks = Readonly<Record<string, string>>;

interface AuditOptions {
  readonly store: DocumentStore;
  readonly newId: NewId;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

/**
 * Prices and providers are set in a file. The server audits what has changed since its last check, including changes while it was not
 * running.
 */
export async function auditSettings(newest: NewestSettings, options: AuditOptions): Promise<NewestSettings> {
  const [prices, providers, failover] = await Promise.all([
    audited("prices", newest, options),
    audited("providers", newest, options),
    audited("failover", newest, options),
  ]);
  return {
    prices: () => prices(newest.prices()),
    providers: () => providers(newest.providers()),
    failover: () => failover(newest.failover()),
  };
}

async function audited(
  kind: AuditedKind,
  newest: NewestSettings,
  { store, newId, now, log }: AuditOptions,
): Promise<<Value extends object>(value: Value) => Value> {
  const name = `settings/${kind}`;
  const [last] = await store.read.documents({ name, limit: 1 });
  let marks = (last === undefined ? {} : JSON.parse(last.body)) as Marks;
  let seen: object = {};
  const look = async (value: object): Promise<void> => {
    seen = value;
    const before = marks;
    marks = marksOf(value);
    const at = new Date(now()).toISOString();
    const audited = (action: string) => (target: string) => ({
      id: newId("aud"),
      at,
      by: SYSTEM,
      action: `${KINDS[kind]}.${action}`,
      target,
      details: { file: "sallyport.yaml" },
    });
    const set = Object.keys(marks).filter((key) => marks[key] !== before[key]);
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(marks, key));
    const audit = [...set.map(audited("set")), ...gone.map(audited("remove"))];
    if (audit.length > 0)
      await store.commit({ audit, documents: [{ name, at, by: SYSTEM, body: JSON.stringify(marks), keep: 1 }] });
  };
  await look(newest[kind]());
  return (value) => {
    // The same file gives the same object.
    if (value !== seen)
      look(value).catch((error: unknown) => log.warn({ err: error }, "a change of settings is not in the audit log"));
    return value;
  };
}

function marksOf(value: object): Marks {
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      createHash("sha256").update(JSON.stringify(entry)).digest("hex").slice(0, 32),
    ]),
  );
}
