// Loaded before a gateway of somebody else (`node --import`): it listens on loopback only, and ends when the bench is gone.
import { Server } from "node:net";

const { value: listen } = Object.getOwnPropertyDescriptor(Server.prototype, "listen");
Server.prototype.listen = function (...argv) {
  const callback = argv.find((value) => typeof value === "function");
  const port = typeof argv[0] === "object" ? argv[0]?.port : argv[0];
  return Reflect.apply(listen, this, [{ port: Number(port), host: "127.0.0.1" }, callback]);
};

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(0);
}, 1_000).unref();
