/**
 * A server that opens a sandbox, starts a program in it and waits for its death: `dying-server.mjs <driver> <options> <request> <argv>`,
 * the last three as JSON.
 */
import { containerDriver, gvisorDriver } from "../../dist/sandbox/container/drivers.js";

const [, , name, options, request, argv] = process.argv;
const driver = { containerDriver, gvisorDriver }[name](JSON.parse(options));
const sandbox = await driver.open(JSON.parse(request));
const piped = await sandbox.open({ argv: JSON.parse(argv), cwd: JSON.parse(request).workspace });
piped.stdout.once("data", () => process.stdout.write("ready\n"));
