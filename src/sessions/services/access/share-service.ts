import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import {
  defined,
  Failure,
  LIMITS,
  ShareView,
  type ShareCreated,
  type ShareList,
  type ShareSession,
} from "../../../protocol/index.ts";
import { auditRow, authorize, authorizeFor, type AuditedAction, type Caller } from "../../access/access.ts";
import type { Session } from "../../core/session.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { ExportChoice } from "../../exports/exported.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import type { ExportService } from "../export-service.ts";

const DOCUMENT = "shares";
const StoredShare = ShareView.extend({ secret_hash: z.string() });
type StoredShare = z.infer<typeof StoredShare>;
const StoredShares = z.array(StoredShare);

const CUT = '<p class="notice">The rest of this conversation is too long to be shown here.</p></main></body></html>';

/**
 * Links that show one session to anyone who has them: read-only, until a time, as the session was when the link was made. Only a hash of
 * the secret is stored. All links are one document.
 */
export class ShareService {
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;
  readonly #exports: ExportService;
  #shares: Promise<readonly StoredShare[]> | undefined;
  /** Resolves when the last change has ended, so that each change starts from the one before. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: Dependencies, registry: Registry, exports: ExportService) {
    this.#dependencies = dependencies;
    this.#registry = registry;
    this.#exports = exports;
  }

  async create(caller: Caller, session_id: string, request: ShareSession): Promise<ShareCreated> {
    const { state } = await this.#session(caller, session_id);
    if (state.settled_seq === 0)
      throw new Failure("conflict", "there is nothing to share yet: wait until the first turn has ended");
    const { clock, expiryClock, newId } = this.#dependencies;
    const { expires_in_s = LIMITS.shareS, ...shown } = request;
    const secret = randomBytes(LIMITS.shareSecretBytes).toString("base64url");
    const made: ShareView = {
      id: newId("shr"),
      session_id,
      ...shown,
      created_at: new Date(clock.now()).toISOString(),
      created_by: { id: caller.id, name: caller.name, role: caller.role },
      expires_at: new Date(expiryClock.now() + expires_in_s * 1_000).toISOString(),
      upto: state.settled_seq,
    };
    const details = { share: made.id, expires_at: made.expires_at, ...shown };
    await this.#change(caller, { action: "session.share", target: session_id, details }, (shares) => {
      if (shares.length >= LIMITS.shares)
        throw new Failure("limit_reached", `there can be ${LIMITS.shares} share links at once; revoke one first`);
      return [...shares, { ...made, secret_hash: hashOf(secret) }];
    });
    return { ...made, path: `/share/${secret}` };
  }

  /** The links of one session that still work, oldest first. */
  async list(caller: Caller, session_id: string): Promise<ShareList> {
    await this.#session(caller, session_id);
    const shares = await this.#live();
    return { shares: shares.filter((share) => share.session_id === session_id).map(viewOf) };
  }

  async revoke(caller: Caller, session_id: string, id: string): Promise<void> {
    await this.#session(caller, session_id);
    const audited = { action: "session.unshare", target: session_id, details: { share: id } };
    await this.#change(caller, audited, (shares) => {
      const others = shares.filter((share) => share.id !== id || share.session_id !== session_id);
      if (others.length === shares.length)
        throw new Failure("not_found", `session ${session_id} has no share link ${id}`);
      return others;
    });
  }

  /** The page behind a link. Undefined: there is none, or none any more. */
  async page(secret: string): Promise<AsyncGenerator<string> | undefined> {
    const hash = hashOf(secret);
    const share = (await this.#live()).find(({ secret_hash }) => secret_hash === hash);
    const session = share && (await this.#registry.get(share.session_id).catch(() => undefined));
    if (share === undefined || session === undefined) return undefined;
    const { tools, thoughts, costs } = share;
    const choice: ExportChoice = {
      ...defined({ tools, thoughts, costs }),
      people: false,
      clean: this.#cleaner(session),
    };
    return bounded(this.#exports.html(session, choice, share.upto));
  }

  /** Where the folder is on the server's machine is nobody's business. */
  #cleaner({ state }: Session): (text: string) => string {
    const { workspace } = state.settings;
    const { redact } = this.#dependencies;
    return (text) => redact(workspace.length > 1 ? text.replaceAll(workspace, ".") : text);
  }

  async #session(caller: Caller, id: string): Promise<Session> {
    authorize(caller, "session.share");
    const session = await this.#registry.get(id);
    authorizeFor(caller, "session.share", { state: session.state, what: `session ${id}` });
    return session;
  }

  async #change(
    caller: Caller,
    audited: AuditedAction,
    change: (shares: readonly StoredShare[]) => readonly StoredShare[],
  ): Promise<void> {
    const changed = this.#changing.then(async () => {
      const shares = change(await this.#live());
      const { store, clock } = this.#dependencies;
      const at = new Date(clock.now()).toISOString();
      const by = { id: caller.id, name: caller.name, role: caller.role };
      await store.commit({
        documents: [{ name: DOCUMENT, at, by, body: JSON.stringify(shares), keep: 1 }],
        audit: [auditRow(this.#dependencies, caller, audited)],
      });
      this.#shares = Promise.resolve(shares);
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #live(): Promise<readonly StoredShare[]> {
    this.#shares ??= this.#read();
    this.#shares.catch(() => {
      this.#shares = undefined;
    });
    const now = this.#dependencies.expiryClock.now();
    return (await this.#shares).filter(({ expires_at }) => Date.parse(expires_at) > now);
  }

  async #read(): Promise<readonly StoredShare[]> {
    const [row] = await this.#dependencies.store.read.documents({ name: DOCUMENT, limit: 1 });
    return row === undefined ? [] : StoredShares.parse(JSON.parse(row.body));
  }
}

function viewOf({ secret_hash: _hash, ...share }: StoredShare): ShareView {
  return share;
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

async function* bounded(chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  let left = LIMITS.shareBytes;
  for await (const chunk of chunks) {
    if (chunk.length > left) {
      yield CUT;
      return;
    }
    left -= chunk.length;
    yield chunk;
  }
}
