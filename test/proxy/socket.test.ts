import { mkdirSync, lstatSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimSocket, type SocketPlace } from "../../src/proxy/http/socket-place.ts";
import { json, World } from "./world.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sallyport-socket-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

interface Claimed extends SocketPlace {
  close(): Promise<void>;
}

async function claim(folder: string): Promise<Claimed> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("hello"));
  const place = await claimSocket(folder, (path) => {
    // While it is being made, nobody else can get to it.
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    return new Promise((resolve) => server.listen(path, resolve));
  });
  return { ...place, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

test("the socket is its owner's only, and goes with the proxy", async () => {
  const world = await World.open();
  const path = world.proxy.socketUrl.slice("unix:".length);
  expect([path, lstatSync(path).isSocket(), lstatSync(path).mode & 0o777]).toEqual([
    join(world.home, "model.sock"),
    true,
    0o600,
  ]);
  world.behaviour = (_, response) => json(response, { data: [] });
  const status = await new Promise((resolve, reject) => {
    const options = { socketPath: path, path: "/v1/models", headers: { "x-api-key": world.lease.key }, agent: false };
    request(options, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
  await world.proxy.close();
  expect(readdirSync(world.home).filter((name) => !name.startsWith("sallyport.db"))).toEqual([]);
  await world[Symbol.asyncDispose]();
});

test("what a dead process left is replaced, a living one is left alone", async () => {
  const first = await claim(home);
  await expect(claim(home)).rejects.toMatchObject({ code: "conflict" });
  // As if it had been killed: nobody answers, but the file is there.
  await first.close();
  mkdirSync(join(home, ".model-abcdef"));
  const second = await claim(home);
  // The first one's end does not take the second one's socket away.
  first.remove();
  expect(readdirSync(home)).toEqual(["model.sock"]);
  await second.close();
  second.remove();
  expect(readdirSync(home)).toEqual([]);
});

test("something else in its place is not touched", async () => {
  writeFileSync(join(home, "model.sock"), "mine");
  await expect(claim(home)).rejects.toMatchObject({ code: "conflict" });
  expect(readdirSync(home)).toEqual(["model.sock"]);
});

test("a home with a long path has its socket elsewhere, also after a kill", async () => {
  const deep = join(home, "x".repeat(60), "y".repeat(60));
  mkdirSync(deep, { recursive: true });
  const first = await claim(deep);
  expect([
    first.path.length < 104,
    lstatSync(first.path).mode & 0o777,
    statSync(dirname(first.path)).mode & 0o777,
  ]).toEqual([true, 0o600, 0o700]);
  expect(readlinkSync(join(deep, "model.sock"))).toBe(first.path);
  await first.close();
  const second = await claim(deep);
  expect(() => statSync(dirname(first.path))).toThrow("ENOENT");
  await second.close();
  second.remove();
  expect(() => statSync(dirname(second.path))).toThrow("ENOENT");
  expect(readdirSync(deep)).toEqual([]);
});
