import { Failure, type Profile, type SessionSettings, type SubmitPrompt } from "../../../protocol/index.ts";
import type { Caller } from "../../access/access.ts";
import type { Session } from "../../core/session.ts";
import type { SessionState } from "../../core/state.ts";
import { refuseNewWork } from "../../core/storing.ts";
import { effectiveProfile } from "../../permission/effective-profile.ts";
import { placeSession, type PlacedSession } from "../../workspace/own-tree.ts";
import type { SessionServiceParts } from "../session-requests.ts";

/** Where a new session works, before it is there. */
export interface NewSessionPlace extends PlacedSession {
  /** The session with a worker that was prepared for it; undefined: there is none. Absent: there cannot be one. */
  begin?(born: (id: string) => SessionState): Promise<Session | undefined>;
}

interface WantedPlace {
  readonly caller: Caller;
  readonly settings: SessionSettings;
  /** The session that it continues. */
  readonly parent?: Session | undefined;
  /** Whether it begins with nothing, so that a prepared worker can be its own. */
  readonly isNew: boolean;
}

/** Gives new sessions their files and, where one fits, a prepared worker. */
export class SessionPlaces {
  readonly #parts: Pick<SessionServiceParts, "dependencies" | "warm" | "instructions">;

  constructor(parts: Pick<SessionServiceParts, "dependencies" | "warm" | "instructions">) {
    this.#parts = parts;
  }

  /** Nothing is made while nothing new may begin. */
  async place({ caller, settings, parent, isNew }: WantedPlace): Promise<NewSessionPlace> {
    const { dependencies, warm } = this.#parts;
    refuseNewWork(dependencies);
    const profile = this.#profile(caller, settings);
    const pin = dependencies.workers.pinOf({ settings, created_by: caller });
    const ahead = isNew ? await warm.takeWithTree(settings, { profile, pin }) : undefined;
    const place = ahead ?? (await placeSession(dependencies, settings, { profile, parent: parent?.state.id }));
    try {
      refuseNewWork(dependencies);
      if (parent?.deleted === true) throw new Failure("not_found", `there is no session ${parent.state.id}`);
    } catch (error) {
      await place.undo();
      throw error;
    }
    if (ahead !== undefined || !isNew || place.id !== undefined) return place;
    return { ...place, begin: (born) => warm.take(settings, { born, pin }) };
  }

  /** The prompt with the command that it names. If it is refused, nothing of the place stays. */
  async expanded(
    caller: Caller,
    place: NewSessionPlace,
    prompt: SubmitPrompt | undefined,
  ): Promise<SubmitPrompt | undefined> {
    try {
      return prompt && (await this.#parts.instructions.expandedFor(caller, place.settings, prompt));
    } catch (error) {
      await place.undo();
      throw error;
    }
  }

  #profile(caller: Caller, settings: SessionSettings): Profile {
    return effectiveProfile(this.#parts.dependencies.policy(), { settings, created_by: caller, token: caller.token });
  }
}
