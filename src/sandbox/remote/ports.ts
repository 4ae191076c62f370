// Runs beside a program in namespaces of its own: opens the sandbox's ports there, and tells when they are open. It ends with the namespace.
import type { Forward } from "../driver.ts";
import { openPort } from "./forward.ts";

const forwards = JSON.parse(process.argv[2] ?? "[]") as readonly Forward[];
await Promise.all(forwards.map(openPort));
process.stdout.write("\n");
