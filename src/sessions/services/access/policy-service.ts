import { DEFAULT_POLICY, validatePolicy } from "../../../gate/index.ts";
import { notAllowed } from "../../../network/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  Policy,
  type ClientChoice,
  type PolicyChange,
  type PolicyTest,
  type Ruling,
} from "../../../protocol/index.ts";
import type { DocumentStore } from "../../../store/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../../access/access.ts";
import { mayHave, refuseChoice } from "../../settings/choices.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { profileOf } from "../../permission/profile.ts";
import { ruleOn } from "../../permission/ruling.ts";
import type { Dependencies } from "../../dependencies.ts";
import { settingsFor, type WorkspacePlaces } from "../../settings/settings.ts";

const DOCUMENT = "policy";

/** The policy in force: the built-in one, overridden by the admin's file, overridden by the API. */
export class PolicyBook {
  readonly #store: DocumentStore;
  readonly #file: Policy | undefined;
  #stored: Policy | undefined;

  private constructor(store: DocumentStore, file: Policy | undefined, stored: Policy | undefined) {
    this.#store = store;
    this.#file = file;
    this.#stored = stored;
  }

  /** `file`: the parsed policy of the YAML file in the home folder; absent: there is none. */
  static async open(store: DocumentStore, file: Policy | undefined): Promise<PolicyBook> {
    const [newest] = await store.read.documents({ name: DOCUMENT, limit: 1 });
    const book = new PolicyBook(store, file, newest === undefined ? undefined : Policy.parse(JSON.parse(newest.body)));
    book.check(book.current());
    return book;
  }

  current(): Policy {
    return layered(DEFAULT_POLICY, this.#file, this.#stored);
  }

  /** Checks the policy that would be in force; a Failure when it is invalid. */
  check(policy: Policy): void {
    const all = layered(DEFAULT_POLICY, this.#file, policy);
    validatePolicy(all);
    profileOf(all, all.default_profile);
  }

  async set(
    policy: Policy,
    dependencies: Pick<Dependencies, "newId" | "clock" | "redact">,
    caller: Caller,
  ): Promise<void> {
    const at = new Date(dependencies.clock.now()).toISOString();
    const by = { id: caller.id, name: caller.name, role: caller.role };
    await this.#store.commit({
      documents: [{ name: DOCUMENT, at, by, body: JSON.stringify(policy) }],
      audit: [
        auditRow(dependencies, caller, {
          action: "policy.set",
          target: DOCUMENT,
          details: { profiles: Object.keys(policy.profiles) },
        }),
      ],
    });
    this.#stored = policy;
  }

  async history(): Promise<readonly PolicyChange[]> {
    const rows = await this.#store.read.documents({ name: DOCUMENT, limit: LIMITS.policyVersions });
    return rows.map((row) => ({ at: row.at, by: row.by, policy: Policy.parse(JSON.parse(row.body)) }));
  }
}

/** Later layers replace profiles of the same name, and the global limits. */
function layered(...layers: readonly (Policy | undefined)[]): Policy {
  const given = layers.filter((layer) => layer !== undefined);
  const budget = given.findLast((layer) => layer.budget !== undefined)?.budget;
  return {
    default_profile: given.at(-1)?.default_profile ?? DEFAULT_POLICY.default_profile,
    profiles: Object.assign({}, ...given.map((layer) => layer.profiles)) as Policy["profiles"],
    ...(budget === undefined ? {} : { budget }),
  };
}

interface PolicyServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly book: PolicyBook;
  readonly places: WorkspacePlaces;
}

/** Reading, changing and trying the policy. */
export class PolicyService {
  readonly #parts: PolicyServiceParts;

  constructor(parts: PolicyServiceParts) {
    this.#parts = parts;
  }

  get(caller: Caller): Policy {
    authorize(caller, "policy.read");
    return this.#parts.book.current();
  }

  /** The profile that a surface gives to sessions, if the caller may have it; absent: the token's, or the default. */
  profileFor(caller: Caller, wanted: string): string | undefined {
    const policy = this.#parts.book.current();
    return mayHave(caller, policy, wanted) ? wanted : undefined;
  }

  /** Refuses settings that the client of a session may not choose. `profile` absent: the caller's own. */
  checkClientChoices(caller: Caller, profile: string | undefined, fields: readonly ClientChoice[]): void {
    const policy = this.#parts.book.current();
    const name = profile ?? caller.token.bounds.profile ?? policy.default_profile;
    for (const field of fields) refuseChoice(profileOf(policy, name), field);
  }

  async set(caller: Caller, policy: Policy): Promise<Policy> {
    authorize(caller, "policy.write");
    this.#parts.book.check(policy);
    await this.#parts.book.set(policy, this.#parts.dependencies, caller);
    this.#parts.dependencies.limits.changed();
    return this.#parts.book.current();
  }

  async history(caller: Caller): Promise<readonly PolicyChange[]> {
    authorize(caller, "audit.read");
    return this.#parts.book.history();
  }

  /** What would happen: the real pipeline on one call. Nothing is executed or written. */
  async test(caller: Caller, request: PolicyTest): Promise<Ruling> {
    authorize(caller, "policy.test");
    const { tool, input } = request;
    if (request.session !== undefined) {
      const session = await this.#parts.registry.get(request.session);
      authorizeFor(caller, "session.read", { state: session.state, what: `session ${request.session}` });
      if (request.profile !== undefined || request.workspace !== undefined || request.autonomy !== undefined) {
        throw new Failure("invalid_request", "a session brings its own profile, workspace and autonomy");
      }
      const { settings, grants, created_by, token } = session.state;
      const asked = { tool, input, settings, grants, created_by, token };
      return (await ruleOn(asked, this.#parts.book.current(), await session.environment())).ruling;
    }
    const { profile, workspace, autonomy } = request;
    const asked = defined({ profile, workspace, autonomy });
    const settings = await settingsFor(
      { dependencies: this.#parts.dependencies, places: this.#parts.places },
      caller,
      asked,
    );
    const environment = await this.#parts.dependencies.openEnvironment({
      session_id: this.#parts.dependencies.newId("ses"),
      // Nothing is started: only the workspace is looked at.
      settings: { ...settings, sandbox: "local" },
      policy: this.#parts.book.current(),
      serverFiles: [],
      egressHosts: () => [],
      askHost: (target) => Promise.resolve(notAllowed(target)),
      browserAbilities: () => [],
      notice: () => undefined,
    });
    try {
      const judged = { tool, input, settings, grants: [], created_by: caller, token: caller.token };
      return (await ruleOn(judged, this.#parts.book.current(), environment)).ruling;
    } finally {
      await environment.discard();
    }
  }
}
