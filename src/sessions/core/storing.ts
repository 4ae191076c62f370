import { Failure, LIMITS, outOfFilesFailure, SYSTEM, type PromptAccepted } from "../../protocol/index.ts";
import { stalledFailure } from "../../store/index.ts";
import type { SessionCommand } from "./commands.ts";
import { stoppingFailure } from "../lifecycle/drain.ts";
import type { Dependencies } from "../dependencies.ts";
import type { SessionState } from "./state.ts";

type Storing = Pick<Dependencies, "store" | "clock">;

/** Why a new command is refused: nothing can be written at the moment. Undefined: it is accepted. */
export function refusalWhileStalled({ store }: Pick<Dependencies, "store">): Failure | undefined {
  const { stall } = store.health();
  return stall === undefined ? undefined : stalledFailure(stall, "refused");
}

export function refuseWhileStalled(dependencies: Pick<Dependencies, "store">): void {
  const refusal = refusalWhileStalled(dependencies);
  if (refusal !== undefined) throw refusal;
}

const MEGABYTE = 1_000_000;

/** Refuses new work while the server stops or the disk is nearly full. Running work may finish. */
export function refuseNewWork(dependencies: Pick<Dependencies, "store" | "drain" | "isShortOfFiles">): void {
  if (dependencies.drain.isStarted) throw stoppingFailure();
  if (dependencies.isShortOfFiles()) throw outOfFilesFailure();
  refuseWhileStalled(dependencies);
  const { lowSpace } = dependencies.store.health();
  if (lowSpace === undefined) return;
  const [free, needed] = [lowSpace.freeBytes, lowSpace.minFreeBytes].map((bytes) => Math.floor(bytes / MEGABYTE));
  const [left, advice] =
    lowSpace.freeBytes < lowSpace.minFreeBytes
      ? [`${free} MB left, and new sessions and prompts need ${needed} MB`, "Free some space there"]
      : [
          `room for ${lowSpace.freeFiles} more files (inodes), and new sessions and prompts need ${LIMITS.storeMinFreeFiles}`,
          "Delete files on that disk",
        ];
  throw new Failure(
    "store_full",
    `The disk of the server's home folder has ${left}. ${advice}, or delete old sessions with \`sallyport prune\`.`,
    { retry_after_s: LIMITS.storeFullRetryAfterS },
  );
}

/** Resolves when `work` has ended, or when nothing could be written for this long. */
export async function untilStoredOrStalled(storing: Storing, work: Promise<unknown>, ms: number): Promise<void> {
  await whileStoring(storing, work, ms).catch(() => undefined);
}

/**
 * The answer of `work`; a Failure when it takes longer than `ms` while nothing can be written. The work itself
 * continues. Time in which writing works does not count.
 */
export function whileStoring<Answer>(
  { store, clock }: Storing,
  work: Promise<Answer>,
  ms: number = LIMITS.storeWaitMs,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => undefined;
    const wait = (): void => {
      cancel = clock.after(ms, () => {
        const { stall } = store.health();
        if (stall === undefined) wait();
        else reject(stalledFailure(stall, "waiting"));
      });
    };
    wait();
    work.finally(() => cancel()).then(resolve, reject);
  });
}

/** Commands from a person or a program, who can send them again. All others follow from what has already happened. */
export function isAsked(command: SessionCommand): boolean {
  if (command.type === "answer") return command.answer.by.id !== SYSTEM.id;
  return ["open", "fork", "pause", "unpause", "unqueue", "edit", "reorder", "send_now", "configure", "limit"].includes(
    command.type,
  );
}

/** Commands that only watchers wait for. */
export function isPatient({ type }: SessionCommand): boolean {
  return type === "progress" || type === "notice" || type === "spend";
}

/**
 * Whether a prompt may wait for the commit of its turn's first reservation, which follows within a few milliseconds: its engine has no
 * program to start. A queued prompt has no turn yet.
 */
export function reservesSoon(
  session: { readonly dependencies: Pick<Dependencies, "engines">; readonly state: Pick<SessionState, "settings"> },
  { queued }: Pick<PromptAccepted, "queued">,
): boolean {
  const { engines } = session.dependencies;
  return !queued && engines.get(session.state.settings.engine)?.capabilities.warm === false;
}
