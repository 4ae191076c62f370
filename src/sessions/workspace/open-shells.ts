import { z } from "zod";
import { Failure, LIMITS, type PrincipalRef } from "../../protocol/index.ts";
import { auditRow } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

const DOCUMENT = "open_shells";
const OpenShell = z.strictObject({
  shell_id: z.string(),
  session_id: z.string(),
  by: z.strictObject({ id: z.string(), name: z.string(), role: z.string() }),
});

/** A person's terminal that the audit has an opening of, and no end. */
export interface OpenShell {
  readonly shell_id: string;
  readonly session_id: string;
  readonly by: PrincipalRef;
}

/** The terminals that are open, stored together with the audit: a server that is killed writes their ends when it starts again. */
export class OpenShells {
  readonly #dependencies: Dependencies;
  readonly #open = new Map<string, OpenShell>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async opened(shell: OpenShell, details: object): Promise<void> {
    if (this.#open.size >= LIMITS.shellsOpen)
      throw new Failure("limit_reached", `${LIMITS.shellsOpen} terminals are open on this server; close one`);
    this.#open.set(shell.shell_id, shell);
    try {
      await this.#commit([{ shell, action: "shell.open", details }]);
    } catch (error) {
      this.#open.delete(shell.shell_id);
      throw error;
    }
  }

  async closed(shell: OpenShell, details: object): Promise<void> {
    this.#open.delete(shell.shell_id);
    await this.#commit([{ shell, action: "shell.close", details }]);
  }

  /** At start: what the last server left open is over. */
  async settle(): Promise<void> {
    const [newest] = await this.#dependencies.store.read.documents({ name: DOCUMENT, limit: 1 });
    if (newest === undefined) return;
    const left = z.array(OpenShell).parse(JSON.parse(newest.body)) as readonly OpenShell[];
    const details = { reason: "the server ended before it" };
    if (left.length > 0) await this.#commit(left.map((shell) => ({ shell, action: "shell.close", details })));
  }

  /** The list and the audit never disagree. While nothing can be written, both wait. */
  async #commit(
    noted: readonly { readonly shell: OpenShell; readonly action: string; readonly details: object }[],
  ): Promise<void> {
    const { store, clock } = this.#dependencies;
    const [first] = noted;
    if (first === undefined) return;
    const audit = noted.map(({ shell: { shell_id, session_id, by }, action, details }) =>
      auditRow(this.#dependencies, by, { action, target: session_id, details: { shell_id, ...details } }),
    );
    const at = new Date(clock.now()).toISOString();
    const body = JSON.stringify([...this.#open.values()]);
    const documents = [{ name: DOCUMENT, at, by: first.shell.by, body, keep: 1 }];
    await store.commit({ audit, documents }, { untilStored: true });
  }
}
