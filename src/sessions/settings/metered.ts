import { Failure, type Profile } from "../../protocol/index.ts";
import type { Dependencies } from "../dependencies.ts";
import { presentProfile, type ProfiledSession } from "../permission/effective-profile.ts";

/** Throws where the policy does not allow an engine that asks its models elsewhere than at the model proxy. */
export function checkMetered(
  { engines }: Pick<Dependencies, "engines">,
  { profile, engine }: { readonly profile: Profile | undefined; readonly engine: string },
): void {
  if (engines.get(engine)?.unmetered !== true || profile?.allow_unmetered === true) return;
  throw new Failure(
    "forbidden",
    `the engine ${engine} asks its models without the model proxy, so nothing limits what it spends; the policy must allow it (allow_unmetered: true)`,
  );
}

/** The same before each turn: what the policy says now counts, whatever it said when the session began. */
export function checkTurnMetered({
  dependencies,
  state,
}: {
  readonly dependencies: Pick<Dependencies, "engines" | "policy">;
  readonly state: ProfiledSession & { readonly settings: { readonly engine: string } };
}): void {
  const { engine } = state.settings;
  checkMetered(dependencies, { profile: presentProfile(dependencies.policy(), state), engine });
}
