import { z } from "zod";
import { LIMITS, LongRunStep, SYSTEM, type PrincipalRef } from "../../protocol/index.ts";
import type { AuditRow, DocumentRow, NewDocument, Store } from "../../store/index.ts";
import { LongRunPlan, LongRunState } from "./decide.ts";

const INDEX = "long_runs";
const planName = (id: string): string => `long_run/${id}/plan`;
const stateName = (id: string): string => `long_run/${id}`;
const Index = z.array(z.string());

/** Long runs on the disk: an index, and for each a plan and the versions of its state. */
export class LongRunBook {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async all(): Promise<readonly { readonly plan: LongRunPlan; readonly state: LongRunState }[]> {
    const [index] = await this.#store.read.documents({ name: INDEX, limit: 1 });
    const ids = index === undefined ? [] : Index.parse(JSON.parse(index.body));
    const found = [];
    for (const id of ids) {
      const [[plan], [state]] = (await Promise.all(
        [planName(id), stateName(id)].map((name) => this.#store.read.documents({ name, limit: 1 })),
      )) as [DocumentRow[], DocumentRow[]];
      if (plan === undefined || state === undefined) continue;
      found.push({
        plan: LongRunPlan.parse(JSON.parse(plan.body)),
        state: LongRunState.parse(JSON.parse(state.body)),
      });
    }
    return found;
  }

  /** What was done so far, the oldest first. */
  async steps(id: string): Promise<readonly LongRunStep[]> {
    // A session is two versions; pauses and what people do add some.
    const rows = await this.#store.read.documents({ name: stateName(id), limit: LIMITS.longRunVersions });
    return rows
      .flatMap(({ body }) => {
        const step = (JSON.parse(body) as { readonly step?: unknown }).step;
        return step === undefined ? [] : [LongRunStep.parse(step)];
      })
      .toReversed();
  }

  /** Becomes durable together with `audit`. */
  add(
    plan: LongRunPlan,
    state: LongRunState,
    { ids, audit }: { ids: readonly string[]; audit: readonly AuditRow[] },
  ): Promise<void> {
    const by = plan.created_by;
    return this.#store.commit({
      documents: [
        document(planName(plan.id), plan, { at: state.at, by }),
        { ...document(stateName(plan.id), state, { at: state.at, by }), keep: LIMITS.longRunVersions },
        document(INDEX, ids, { at: state.at, by }),
      ],
      audit,
    });
  }

  /** Forgets one of them; `ids` are the others. */
  remove(
    id: string,
    { ids, at, by, audit }: { ids: readonly string[]; at: string; by: PrincipalRef; audit: readonly AuditRow[] },
  ): Promise<void> {
    return this.#store.commit({
      deletedDocuments: [planName(id), stateName(id)],
      documents: [document(INDEX, ids, { at, by })],
      audit,
    });
  }

  /** The row that makes a state durable; it may be committed with its cause. */
  rowOf(id: string, state: LongRunState): NewDocument {
    return { ...document(stateName(id), state, { at: state.at, by: SYSTEM }), keep: LIMITS.longRunVersions };
  }
}

function document(
  name: string,
  value: unknown,
  { at, by }: { readonly at: string; readonly by: PrincipalRef },
): NewDocument {
  return { name, at, by: { id: by.id, name: by.name, role: by.role }, body: JSON.stringify(value), keep: 1 };
}
