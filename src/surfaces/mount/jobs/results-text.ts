import type { CommandResult, ContainerView } from "../../../protocol/index.ts";
import type { Frame } from "../../../sessions/index.ts";
import type { MountContext } from "../context.ts";
import type { FollowOptions } from "../file-service.ts";
import type { FilePlace, Measured } from "../tree.ts";

const encoder = new TextEncoder();

type ResultsPlace = Pick<FilePlace, "caller" | "name">;

function viewOf({ gateway }: MountContext, { caller, name }: ResultsPlace): Promise<ContainerView> {
  return gateway.jobs.get(caller, "containers", name);
}

/** What the commands that have ended wrote. A later text begins with an earlier one. */
function textOf(results: readonly CommandResult[]): Uint8Array {
  return encoder.encode(results.map(({ output }) => `${output}\n`).join(""));
}

export async function measureResults(context: MountContext, place: ResultsPlace): Promise<Measured> {
  const { results, status } = await viewOf(context, place);
  return { size: textOf(results).length, growing: status !== "complete" && status !== "failed" };
}

export async function readResults(
  context: MountContext,
  { caller, name, offset = 0 }: ResultsPlace & Pick<FilePlace, "offset">,
): Promise<Uint8Array> {
  return textOf((await viewOf(context, { caller, name })).results).subarray(offset);
}

/** The same as it grows, until the job has ended. Resolves when it is sure that the caller may. */
export async function followResults(
  context: MountContext,
  { caller, name }: ResultsPlace,
  { offset, signal }: FollowOptions,
): Promise<AsyncIterable<Uint8Array>> {
  await context.gateway.jobs.session(caller, "containers", name);
  const frames = await context.gateway.sessions.watch(caller, name, 0, signal);
  return grow(context, { caller, name, offset, frames });
}

interface Growing extends ResultsPlace {
  readonly offset: number;
  readonly frames: AsyncGenerator<readonly Frame[]>;
}

async function* grow(context: MountContext, { frames, offset, ...place }: Growing): AsyncGenerator<Uint8Array> {
  let at = offset;
  try {
    for await (const batch of frames) {
      if (!batch.some(({ value }) => value.type === "item.completed" || value.type === "session.updated")) continue;
      const bytes = await readResults(context, { ...place, offset: at });
      at += bytes.length;
      if (bytes.length > 0) yield bytes;
    }
  } finally {
    await frames.return(undefined);
  }
}
