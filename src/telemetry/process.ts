import { readingText, summaryText } from "./tally.ts";
import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";

/** Milliseconds between two checks of the event loop. */
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
  let sum = 0;
  let count = 0;
  const late = (quantile: number): number =>
    // Measures from check to check: what exceeds the interval is the delay. Nanoseconds; 0 before the first check.
    Math.max(0, delays.percentile(quantile * 100) / 1e9 - LOOK_MS / 1e3);
  const loop = (): string => {
    const after = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(after, before);
    before = after;
    const quantiles = QUANTILES.map((quantile) => [quantile, late(quantile)] as const);
    if (delays.count > 0) {
      count += delays.count;
      sum += Math.max(0, delays.mean / 1e9 - LOOK_MS / 1e3) * delays.count;
    }
    delays.reset();
    return (
      summaryText(
        {
          name: "sallyport_event_loop_delay_seconds",
          help: "How late the event loop was; quantiles since the last scrape.",
        },
        { quantiles, sum, count },
      ) +
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
    descriptors() +
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

/** Open files and connections; empty if the system does not tell. */
function descriptors(): string {
  try {
    const open = readdirSync("/proc/self/fd").length - 1;
    const most = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return (
      reading("process_open_fds", "Files and connections that are open.", [[{}, open]]) +
      (most === undefined ? "" : reading("process_max_fds", "How many may be.", [[{}, Number(most)]]))
    );
  } catch {
    return "";
  }
}

function reading(name: string, help: string, samples: Parameters<typeof readingText>[1]): string {
  return readingText({ name, help, type: "gauge" }, samples);
}
