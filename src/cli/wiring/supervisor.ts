import type { Log } from "../../protocol/index.ts";
import { Supervisor } from "../../sandbox/index.ts";
import type { Settings } from "../settings/settings.ts";

/** Undefined: vendors' programs end with this server. */
export async function openSupervisor(
  { settings, log }: { readonly settings: Settings; readonly log: Log },
  place: { readonly home: string; readonly marker: string },
): Promise<Supervisor | undefined> {
  if (settings.supervisor !== undefined) return Supervisor.open({ ...place, ...settings.supervisor.value, log });
  await Supervisor.stop(place);
  return undefined;
}

/** Sessions have taken up what is theirs: the rest is ended. */
export async function tellHeld(supervisor: Supervisor, log: Log): Promise<void> {
  const taken = supervisor.claimed.length;
  if (taken > 0)
    log.info({ programs: taken }, "took up programs that outlived the last run, in the middle of their turns");
  const ended = await supervisor.endUnclaimed();
  if (ended > 0) log.info({ programs: ended }, "ended programs that outlived the last run and had no turn");
}
