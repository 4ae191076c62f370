// The scripted model of both sides, in a process of its own.
import { startSim } from "../../dist/sim/index.js";

const sim = await startSim({ host: "127.0.0.1", port: 0 });
process.on("SIGTERM", () => process.exit(0));
process.on("disconnect", () => process.exit(0));
process.send({ url: sim.url });
