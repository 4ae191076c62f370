import { startSim } from "../dist/sim/index.js";

const sim = await startSim({ host: "127.0.0.1", port: 0 });
console.log(sim.url);
process.on("SIGTERM", () => void sim.close().then(() => process.exit(0)));
