import {
  defined,
  Failure,
  type OpenPullRequest,
  type Published,
  type Publishing,
  type PushBranch,
} from "../../../protocol/index.ts";
import {
  commitsOn,
  findProgram,
  findRepository,
  hostedAt,
  kindOf,
  openPullRequest,
  programFor,
  pushCommit,
  readBook,
  remotesOf,
  shownAddress,
  type CommitsByBranch,
  type GitRemote,
} from "../../../workspaces/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../../access/access.ts";
import type { Session } from "../../core/session.ts";
import { refuseNewWork } from "../../core/storing.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import type { WorkspacePlaces } from "../../settings/settings.ts";

interface PublishParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly places: Pick<WorkspacePlaces, "hidden">;
}

/** Pushes commits that were made of a session's changes, and opens pull requests for them. Always by a person, never by a session. */
export class PublishService {
  readonly #parts: PublishParts;

  constructor(parts: PublishParts) {
    this.#parts = parts;
  }

  /** What can be pushed, and where to. */
  async look(caller: Caller, id: string): Promise<Publishing> {
    const session = await this.#session(caller, "session.read", id);
    const commits = await this.#commits(session);
    const branches = Object.entries(commits).flatMap(([branch, made]) => {
      const commit = made.at(-1);
      return commit === undefined ? [] : [{ branch, commit }];
    });
    const repository = await findRepository(sourceOf(session)).catch(() => undefined);
    const remotes = repository === undefined ? [] : await remotesOf(repository);
    const listed = await Promise.all(remotes.map((remote) => this.#view(session, remote)));
    return { session_id: id, branches, remotes: listed };
  }

  async push(caller: Caller, id: string, { branch, commit, remote, url }: PushBranch): Promise<Published> {
    const { session, repository, found } = await this.#target(caller, id, { remote, url });
    const made = commitsOn(await this.#commits(session), branch);
    if (made.at(-1) !== commit)
      throw new Failure("conflict", `${commit} is not the last commit of this session on ${branch}; look again`);
    const address = shownAddress(found.address);
    await this.#audit(caller, id, { action: "changes.push", details: { branch, commit, remote, address } });
    const { publishing } = this.#parts.dependencies;
    const forbidden = this.#written(session);
    await this.#told(
      pushCommit({ repository, address: found.address, branch, commit, environment: publishing, forbidden }),
    );
    return { branch, commit, remote };
  }

  async openPullRequest(caller: Caller, id: string, wanted: OpenPullRequest): Promise<Published> {
    const { branch, remote, url, title, body = "", base, draft = false } = wanted;
    const { session, found } = await this.#target(caller, id, { remote, url });
    const commit = commitsOn(await this.#commits(session), branch).at(-1);
    if (commit === undefined)
      throw new Failure("conflict", `this session made no commit on ${branch}; commit and push it first`);
    const hosted = hostedAt(found.address);
    const program = hosted && programFor(hosted);
    const file = program && (await this.#program(session, program));
    if (hosted === undefined || program === undefined || file === undefined)
      throw new Failure(
        "unsupported",
        program === undefined
          ? `no program is known that opens pull requests at ${shownAddress(found.address)}`
          : `${program} is not installed on the server; install it and log in with \`${program} auth login\``,
      );
    const details = { branch, commit, remote, program, repository: `${hosted.host}/${hosted.path}`, title };
    await this.#audit(caller, id, { action: "changes.pull_request", details });
    const environment = this.#parts.dependencies.publishing;
    const pull_request = await this.#told(
      openPullRequest({ repository: hosted, program, file, branch, base, title, body, draft, environment }),
    );
    return { branch, commit, remote, pull_request };
  }

  async #session(caller: Caller, capability: "session.read" | "changes.publish", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    return session;
  }

  /** The remote that the person saw, or a Failure. */
  async #target(caller: Caller, id: string, { remote, url }: Pick<PushBranch, "remote" | "url">) {
    const session = await this.#session(caller, "changes.publish", id);
    refuseNewWork(this.#parts.dependencies);
    const repository = await findRepository(sourceOf(session));
    if (repository === undefined)
      throw new Failure("unsupported", `${sourceOf(session)} is in no git repository, so nothing can be pushed`);
    const found = (await remotesOf(repository)).find(({ name }) => name === remote);
    if (found === undefined) throw new Failure("not_found", `the repository has no remote ${remote}`);
    if (shownAddress(found.address) !== url)
      throw new Failure("input_changed", `the remote ${remote} leads elsewhere now; look at it again`);
    return { session, repository, found };
  }

  async #view(session: Session, remote: GitRemote): Promise<Publishing["remotes"][number]> {
    const refused = await kindOf(remote.address, this.#written(session)).then(
      () => undefined,
      (error: unknown) => (error instanceof Failure ? error.message : "it cannot be used"),
    );
    const hosted = refused === undefined ? hostedAt(remote.address) : undefined;
    const program = hosted && programFor(hosted);
    const isThere = program !== undefined && (await this.#program(session, program)) !== undefined;
    const pull_request = isThere ? program : undefined;
    return { name: remote.name, url: shownAddress(remote.address), ...defined({ refused, pull_request }) };
  }

  #program(session: Session, program: "gh" | "glab"): Promise<string | undefined> {
    return findProgram(program, this.#parts.dependencies.publishing["PATH"] ?? "", this.#written(session));
  }

  /** The commits that were made here of a session's changes. */
  async #commits(session: Session): Promise<CommitsByBranch> {
    const { id, settings } = session.state;
    if (settings.workspace_mode === "empty") return {};
    const { trees, recordings } = this.#parts.dependencies;
    if (settings.source === undefined) return (await readBook({ folder: recordings.folder(id) }))?.commits ?? {};
    const { tree, release } = await trees.use(id);
    await release();
    return tree.record.commits;
  }

  /** Folders in which a session, or nobody but the server, writes. */
  #written(session: Session): readonly string[] {
    return [session.state.settings.workspace, sourceOf(session), ...this.#parts.places.hidden];
  }

  async #audit(
    caller: Caller,
    id: string,
    { action, details }: { readonly action: string; readonly details: object },
  ): Promise<void> {
    const { dependencies } = this.#parts;
    await dependencies.store.commit({ audit: [auditRow(dependencies, caller, { action, target: id, details })] });
  }

  /** What programs of others say may hold what the server keeps secret. */
  async #told<Answer>(work: Promise<Answer>): Promise<Answer> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Failure) throw new Failure(error.code, this.#parts.dependencies.redact(error.message));
      throw error;
    }
  }
}

function sourceOf(session: Session): string {
  const { source, workspace } = session.state.settings;
  return source ?? workspace;
}
