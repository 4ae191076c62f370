import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { readingText } from "./tally.ts";

/** Milliseconds between two looks at the event loop. */
const LOOK_MS = 20;
const QUANTILES = [0.5, 0.99, 1] as const;

/** What this process uses, and how late its event loop is. */
export interface ProcessReadings {
  text(): string;
  close(): void;
}

export function openProcessReadings(now: () => number): ProcessReadings {
  const delays = monitorEventLoopDelay({ resolution: LOOK_MS });
  delays.enable();
  let before = performance.eventLoopUtilization();
  const late = (quantile: number): number =>
    // It measures from look to look: what is beyond the interval is the delay. Nanoseconds; 0 when it has not looked yet.
    Math.max(0, delays.percentile(quantile * 100) / 1e9 - LOOK_MS / 1e3);
  const loop = (): string => {
    const after = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(after, before);
    before = after;
    const delay = QUANTILES.map((quantile) => [{ quantile: String(quantile) }, late(quantile)] as const);
    delays.reset();
    return (
      reading("sallyport_event_loop_delay_seconds", "How late the event loop was since the last scrape.", delay) +
      reading("sallyport_event_loop_utilization", "Part of the time since the last scrape that it was busy.", [
        [{}, utilization],
      ])
    );
  };
  return { text: () => usage(now) + loop(), close: () => delays.disable() };
}

function usage(now: () => number): string {
  const memory = process.memoryUsage();
  const processor = process.cpuUsage();
  const one = (value: number) => [[{}, value] as const];
  return (
    reading("process_resident_memory_bytes", "Memory of this process.", one(memory.rss)) +
    reading("nodejs_heap_size_used_bytes", "Heap in use.", one(memory.heapUsed)) +
    reading("nodejs_heap_size_total_bytes", "Heap that is reserved.", one(memory.heapTotal)) +
    reading("nodejs_external_memory_bytes", "Buffers outside the heap.", one(memory.external)) +
    reading("process_start_time_seconds", "When it started, since the epoch.", one(now() / 1e3 - process.uptime())) +
    readingText(
      { name: "process_cpu_seconds_total", help: "Processor time, the system's part included.", type: "counter" },
      one((processor.user + processor.system) / 1e6),
    )
  );
}

function reading(name: string, help: string, samples: Parameters<typeof readingText>[1]): string {
  return readingText({ name, help, type: "gauge" }, samples);
}
