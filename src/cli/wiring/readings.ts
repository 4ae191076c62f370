import type { Gateway, Models } from "../../sessions/index.ts";
import type { Store, StoreHealth } from "../../store/index.ts";
import type { ModelRequestLog, Readings, Telemetry } from "../../telemetry/index.ts";

interface ReadingSources {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly models: Models;
  readonly requests: ModelRequestLog;
  /** Absent: there are none. */
  readonly openSockets?: (() => number) | undefined;
}

/** The figures of all parts, for monitoring. */
export function tellReadings(telemetry: Telemetry, sources: ReadingSources): void {
  const { gateway, store, models, requests, openSockets } = sources;
  telemetry.gauges(async () => ({
    ...(await gateway.readings()),
    ...storeReadings(store.health()),
    engineProcesses: gateway.pool,
    workers: gateway.workerCounts,
    openSockets: openSockets?.() ?? 0,
    openModelRequests: models.proxy.openRequests,
    sessionKeys: models.proxy.sessionKeys,
    requestLogDropped: requests.dropped,
  }));
}

function storeReadings({
  disk,
  damaged,
  stall,
  waitingChars,
  waitingWrites,
  refusedWrites,
}: StoreHealth): Pick<Readings, `store${string}` & keyof Readings> {
  return {
    storeStalled: stall === undefined ? 0 : 1,
    storeWaitingChars: waitingChars,
    storeWaitingWrites: waitingWrites,
    storeRefusedWrites: refusedWrites,
    storeDamagedSessions: damaged?.size ?? 0,
    storeFreeBytes: disk?.freeBytes,
    storeDatabaseBytes: disk?.databaseBytes,
    storeWalBytes: disk?.walBytes,
  };
}
