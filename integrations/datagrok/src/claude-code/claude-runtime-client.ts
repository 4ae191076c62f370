import * as grok from "datagrok-api/grok";
import type * as DG from "datagrok-api/dg";
import { ClaudeRuntimeClient, type RuntimeToolExecutor } from "sallyport/client/runtime";

/** The container's name, and the one that the platform gives it where it puts the package's name before it. */
const CONTAINER_NAMES = ["claude-runtime", "sallyport-claude-runtime"] as const;
/** A container that is started on demand takes a while, ms. */
const SOCKET_MS = 120_000;
/** Finding it, starting it and connecting, together. Longer than the parts, so that their own words are seen. */
const CONNECT_MS = 300_000;
const UNAVAILABLE = "Claude runtime container not available";

/** The tools of several views over one connection: a call goes to the view whose conversation it is for. */
export class SessionTools implements RuntimeToolExecutor {
  readonly #executors = new Map<string, Pick<RuntimeToolExecutor, "execute">>();

  set(sessionId: string, executor: Pick<RuntimeToolExecutor, "execute">): void {
    this.#executors.set(sessionId, executor);
  }

  delete(sessionId: string): void {
    this.#executors.delete(sessionId);
  }

  execute(call: { callId: string; tool: string; args: unknown; sessionId: string }): string | Promise<string> {
    const executor = this.#executors.get(call.sessionId);
    return executor === undefined ? "Error: the view of this conversation is closed" : executor.execute(call);
  }
}

export const sessionTools = new SessionTools();

/** The one client of the page. */
export function runtimeClient(): ClaudeRuntimeClient {
  return ClaudeRuntimeClient.getInstance({
    openSocket,
    toolExecutor: sessionTools,
    connectTimeoutMs: CONNECT_MS,
    log: (message) => grok.log.debug(message),
  });
}

/** A WebSocket to the container, through the platform: it is returned when both sides are joined (`CONNECTED`). */
export async function openSocket(): Promise<WebSocket> {
  const containers = grok.dapi.docker.dockerContainers;
  const container = await findContainer();
  await start(container);
  try {
    return await containers.webSocketProxy(container.id, "/ws", SOCKET_MS);
  } catch (error) {
    throw new Error(`${UNAVAILABLE}: ${wordsOf(error)}. Its log is under Browse | Platform | Dockers.`, {
      cause: error,
    });
  }
}

async function findContainer(): Promise<DG.DockerContainer> {
  for (const name of CONTAINER_NAMES) {
    const [container] = await grok.dapi.docker.dockerContainers.filter(`name = "${name}"`).list({ pageSize: 1 });
    if (container !== undefined) return container;
  }
  throw new Error(
    `${UNAVAILABLE}: the platform has no container "${CONTAINER_NAMES[0]}". Publish the package with its dockerfiles.`,
  );
}

/** One that is stopped is started; what is on its way needs nothing but patience. */
async function start({ id, status }: DG.DockerContainer): Promise<void> {
  switch (status) {
    case "started":
    case "pending change":
    case "changing":
    case "checking":
      return;
    case "error":
      throw new Error(`${UNAVAILABLE}: it has failed. Look into its log under Browse | Platform | Dockers.`);
    case "stopped":
      try {
        await grok.dapi.docker.dockerContainers.run(id, true);
      } catch (error) {
        throw new Error(`${UNAVAILABLE}: it is stopped and could not be started: ${wordsOf(error)}`, { cause: error });
      }
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
