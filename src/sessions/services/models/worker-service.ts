import { may } from "../../../gate/index.ts";
import { Failure, type PoolChange, type PoolView, type WorkerView } from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";

/** What callers may know of the workers, and what admins may change. */
export class WorkerService {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** By number. Whose they are is told to those who may read everybody's sessions. */
  list(caller: Caller): readonly WorkerView[] {
    authorize(caller, "policy.read");
    const views = this.#dependencies.workers.views();
    if (may(caller.role, "session.read") === "all") return views;
    return views.map(({ session_id: _hidden, ...view }) => view);
  }

  get(caller: Caller, id: string): WorkerView {
    const worker = this.list(caller).find((one) => one.id === id);
    if (worker === undefined) throw new Failure("not_found", `there is no worker ${id}`);
    return worker;
  }

  pool(caller: Caller): PoolView {
    authorize(caller, "policy.read");
    return this.#dependencies.workers.view();
  }

  /** From now on, until the server stops. */
  async configure(caller: Caller, change: PoolChange): Promise<PoolView> {
    authorize(caller, "policy.write");
    const { workers, store } = this.#dependencies;
    workers.check(change);
    await store.commit(
      { audit: [auditRow(this.#dependencies, caller, { action: "pool.set", target: "pool", details: change })] },
      { untilStored: true },
    );
    workers.configure(change);
    return workers.view();
  }
}
