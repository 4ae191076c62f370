// The product in a process of its own that can be asked, over IPC, for its memory and its event-loop delay.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { readSettings } from "../dist/cli/settings/settings.js";
import { serve } from "../dist/cli/serve.js";

const [home, workspace] = process.argv.slice(2);
const serving = await serve({
  settings: readSettings({ home, workspace, port: 0 }, process.env, workspace),
  environment: process.env,
  version: "bench",
  logLevel: "error",
  onFatal: (error) => {
    throw error;
  },
});
const delay = monitorEventLoopDelay({ resolution: 5 });
let cpu = process.cpuUsage();
const answers = {
  memory: () => {
    for (let round = 0; round < 4; round += 1) globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heap: heapUsed + external, rss };
  },
  reset: () => {
    delay.enable();
    delay.reset();
    cpu = process.cpuUsage();
    return {};
  },
  load: () => {
    const used = process.cpuUsage(cpu);
    return {
      p50_ms: delay.percentile(50) / 1e6,
      p99_ms: delay.percentile(99) / 1e6,
      cpu_ms: (used.user + used.system) / 1_000,
    };
  },
};
process.on("message", (question) => process.send(answers[question]()));
process.on("SIGTERM", () => void serving.close().then(() => process.exit(0)));
process.send({ url: serving.url });
