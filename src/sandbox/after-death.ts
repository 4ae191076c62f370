/** Started by the watchdog when its server has died: `after-death.js <marker> <life>` ends what that server left. */
import { readFileSync } from "node:fs";
import { reapAfter } from "./local.ts";

/** The unit of /proc: hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100;

const [, , marker = "", life = ""] = process.argv;
const now = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * TICKS_PER_SECOND;
if (marker !== "" && life !== "") await reapAfter({ marker, life: Number(life), now });
