import { workerData } from "node:worker_threads";
import { LIMITS } from "../../protocol/limits.ts";

const LOOK_MS = 50;

setInterval(() => {
  if (process.ppid !== workerData || process.memoryUsage.rss() > LIMITS.connectionMemoryBytes)
    process.kill(process.pid, "SIGKILL");
}, LOOK_MS);
