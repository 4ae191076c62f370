import { defined, LIMITS, type AuditEntry } from "../../../protocol/index.ts";
import { authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";

export interface AuditFilter {
  /** A prefix of the action. */
  readonly action?: string | undefined;
  /** A principal's id. */
  readonly by?: string | undefined;
}

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next?: string;
}

/** Who did what, newest first. */
export class AuditService {
  readonly #store: Dependencies["store"];

  constructor({ store }: Pick<Dependencies, "store">) {
    this.#store = store;
  }

  async page(
    caller: Caller,
    query: AuditFilter & { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<AuditPage> {
    authorize(caller, "audit.read");
    const { action, by, cursor, limit } = query;
    const { rows, next } = await this.#store.read.audit(defined({ limit, action, by, cursor }));
    return { entries: rows, ...(next === undefined ? {} : { next }) };
  }

  /** As many as one file may hold. */
  async export(
    caller: Caller,
    filter: AuditFilter,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly truncated: boolean }> {
    const entries: AuditEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.page(caller, { ...filter, cursor, limit: LIMITS.pageSizeMax });
      entries.push(...page.entries);
      cursor = page.next;
    } while (cursor !== undefined && entries.length < LIMITS.auditLines);
    return { entries: entries.slice(0, LIMITS.auditLines), truncated: cursor !== undefined };
  }
}
