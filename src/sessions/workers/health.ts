import { LIMITS } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";

/** Every sandbox has it. */
const PROBE = ["/bin/sh", "-c", ":"] as const;

/** Whether a command can be run in the session's sandbox. This starts the sandbox, if nothing ran there yet. Never rejects. */
export async function canRunCommands(session: Session, withinMs: number = LIMITS.workerProbeMs): Promise<boolean> {
  const { clock } = session.dependencies;
  let cancelTimer = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    cancelTimer = clock.after(withinMs, () => resolve(false));
  });
  const ended = runProbe(session).catch(() => false);
  const isFine = await Promise.race([ended, late]);
  cancelTimer();
  return isFine;
}

async function runProbe(session: Session): Promise<boolean> {
  const { sandbox } = await session.environment();
  const cwd = session.state.settings.workspace;
  const running = await sandbox.spawn({ argv: PROBE, cwd, onOutput: () => undefined });
  return (await running.exit).code === 0;
}
