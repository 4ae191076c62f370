import { workerData } from "node:worker_threads";

const LOOK_MS = 500;

// The process that is watched over may be within SQLite and hear nothing; it is ended all the same.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL");
}, LOOK_MS);
