import { createRequire } from "node:module";
import { openTelemetry } from "../../dist/telemetry/index.js";

// Opens telemetry without traces, uses it and does not close it: the process must end by itself.
const log = { info: console.error, warn: console.error };
const telemetry = await openTelemetry({ version: "1", now: () => Date.now(), log, redact: (text) => text });
telemetry.event(
  { seq: 1, session_id: "s", at: new Date().toISOString(), type: "turn.resumed", turn_id: "t", restarts: 1 },
  { engine: "loop", provider: "sim", model: "sim", agent: "a" },
);
const text = await telemetry.metrics();
const { cache } = createRequire(import.meta.url);
const loaded = Object.keys(cache).filter((path) => path.includes("@opentelemetry"));
console.log(`${text.includes("sallyport_turns_total") ? "counted" : "nothing"}, ${loaded.length} modules`);
