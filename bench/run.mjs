// All benchmarks of this repository, one after the other; each runs its control in the same run. `--json` for the data.
import { cpus, totalmem } from "node:os";
import { setup } from "../scripts/setup.mjs";

await setup();
const { agentsBench } = await import("./agents.mjs");
const { browserBench } = await import("./browser.mjs");
const { consoleBench } = await import("./console.mjs");
const { contextBench } = await import("./context.mjs");
const { enginesBench } = await import("./engines.mjs");
const { fanoutBench } = await import("./fanout.mjs");
const { gridBench } = await import("./grid.mjs");
const { journalBench } = await import("./journal.mjs");
const { mcpBench } = await import("./mcp.mjs");
const { mountBench } = await import("./mount.mjs");
const { pageToolsBench } = await import("./page-tools.mjs");
const { proxyBench } = await import("./proxy.mjs");
const { readersBench } = await import("./readers.mjs");
const { retrievalBench } = await import("./retrieval.mjs");
const { searchBench } = await import("./search.mjs");
const { sessionsBench } = await import("./sessions.mjs");
const { tunnelBench } = await import("./tunnel.mjs");
const { turnBench } = await import("./turn.mjs");
const { viewersBench } = await import("./viewers.mjs");
const { wallsBench } = await import("./walls.mjs");
const { workspacesBench } = await import("./workspaces.mjs");

const benches = {
  turn: turnBench,
  sessions: sessionsBench,
  journal: journalBench,
  search: searchBench,
  fanout: fanoutBench,
  readers: () => readersBench(),
  proxy: proxyBench,
  engines: enginesBench,
  agents: agentsBench,
  console: consoleBench,
  mount: mountBench,
  "page-tools": pageToolsBench,
  tunnel: tunnelBench,
  grid: gridBench,
  viewers: viewersBench,
  browser: browserBench,
  mcp: mcpBench,
  context: contextBench,
  retrieval: retrievalBench,
  walls: wallsBench,
  workspaces: workspacesBench,
};
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const results = {
  machine: {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  },
};
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`${name} …`);
  results[name] = await bench(flags);
}
console.log(JSON.stringify(results, null, 2));
