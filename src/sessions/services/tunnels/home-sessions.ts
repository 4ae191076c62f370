import { z } from "zod";
import {
  isTunnelProvider,
  LIMITS,
  SYSTEM,
  TUNNEL_ENGINE,
  TUNNEL_PREFIX,
  type JournalEvent,
} from "../../../protocol/index.ts";
import type { EndpointBook, SessionPort } from "../../../tunnels/index.ts";
import { isFinal, readRow, type SessionState } from "../../core/state.ts";
import type { Dependencies } from "../../dependencies.ts";
import { StoredList } from "../stored-list.ts";

const DOCUMENT = "home-sessions";

const HomeSession = z.object({ tunnel: z.string(), session_id: z.string(), home_session_id: z.string() });
type HomeSession = z.infer<typeof HomeSession>;

type HomeSessionParts = Pick<Dependencies, "store" | "clock" | "newId" | "redact" | "log"> & {
  readonly tunnels: { readonly endpoints: Pick<EndpointBook, "openSession" | "onLinked" | "settings"> };
};

/** Sessions of ours that run at homes. When one has ended here, or is deleted, home is told so: at once, or when there is a link again. */
export class HomeSessions {
  readonly #dependencies: HomeSessionParts;
  readonly #stored: StoredList<HomeSession>;
  /** By tunnel: one look after the other. */
  readonly #looks = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(dependencies: HomeSessionParts) {
    this.#dependencies = dependencies;
    const most = LIMITS.tunnelHomeSessions;
    this.#stored = new StoredList(dependencies, { document: DOCUMENT, schema: HomeSession, most, keep: 1 });
  }

  /** Looks again at what the last server left. A session whose name at home was written down last may be missing in the list. */
  async open(): Promise<void> {
    const { store, tunnels } = this.#dependencies;
    let cursor: string | undefined;
    do {
      const page = await store.read.sessions({
        engine: TUNNEL_ENGINE,
        limit: LIMITS.pruneBatch,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const row of page.rows) {
        const state = readRow(row);
        if (state !== undefined && !isFinal(state.status)) await this.#add(state);
      }
      cursor = page.next;
    } while (cursor !== undefined);
    tunnels.endpoints.onLinked((id) => this.#look(id));
  }

  /** Fast, and never throws. One that is deleted is closed before. */
  observe(event: JournalEvent, state: SessionState): void {
    if (state.settings.engine !== TUNNEL_ENGINE || event.type !== "session.updated") return;
    if (event.engine_session_id !== undefined) void this.#add(state).catch(() => undefined);
    if (isFinal(event.status)) this.#look(tunnelOf(state));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #add(state: SessionState): Promise<void> {
    const { id: session_id, engine_session_id: home_session_id } = state;
    if (home_session_id === undefined || !isTunnelProvider(state.settings.provider)) return;
    const entry: HomeSession = { tunnel: tunnelOf(state), session_id, home_session_id };
    const known = await this.#stored.all();
    if (known.some((one) => one.session_id === session_id && one.home_session_id === home_session_id)) return;
    await this.#change((all) => [...all.slice(1 - LIMITS.tunnelHomeSessions), entry]);
  }

  #change(change: (all: readonly HomeSession[]) => readonly HomeSession[]): Promise<unknown> {
    return this.#stored.change(SYSTEM, { audited: [], change });
  }

  #look(tunnel: string): void {
    const { log } = this.#dependencies;
    const before = this.#looks.get(tunnel) ?? Promise.resolve();
    const looked = before
      .then(() => this.#endAll(tunnel))
      // Without a link: the next one looks again.
      .catch((error: unknown) => log.info({ tunnel, err: error }, "sessions at home could not be ended yet"));
    this.#looks.set(tunnel, looked);
    void looked.then(() => {
      if (this.#looks.get(tunnel) === looked) this.#looks.delete(tunnel);
    });
  }

  /** Tells home of each session that has ended here. */
  async #endAll(tunnel: string): Promise<void> {
    for (const session of await this.#stored.all()) {
      if (this.#isClosed) return;
      if (session.tunnel !== tunnel || (await this.#isLive(session))) continue;
      if (!(await this.#end(session))) return;
      await this.#change((all) => all.filter((one) => one.home_session_id !== session.home_session_id));
    }
  }

  async #isLive({ session_id }: HomeSession): Promise<boolean> {
    const row = await this.#dependencies.store.read.session(session_id);
    const state = row === undefined ? undefined : readRow(row);
    return state !== undefined && !isFinal(state.status);
  }

  /** False: home has not said that it ended. */
  async #end({ tunnel, session_id, home_session_id }: HomeSession): Promise<boolean> {
    const { tunnels, clock } = this.#dependencies;
    if (!tunnels.endpoints.settings.some(({ id }) => id === tunnel)) return true;
    let port: SessionPort | undefined;
    let cancel = (): void => undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        const ears = {
          message: ({ type }: { readonly type: string }) => (type === "stopped" ? resolve(true) : undefined),
          linked: () => resolve(false),
          lost: () => resolve(false),
        };
        cancel = clock.after(LIMITS.tunnelCreateMs, () => resolve(false));
        tunnels.endpoints.openSession(tunnel, session_id, ears).then((open) => {
          port = open;
          open.send({ type: "stop", session_id, home_session_id });
        }, reject);
      });
    } finally {
      cancel();
      port?.close();
    }
  }
}

function tunnelOf({ settings }: Pick<SessionState, "settings">): string {
  return settings.provider.slice(TUNNEL_PREFIX.length);
}
