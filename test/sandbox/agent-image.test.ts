import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { dockerStages } from "../support/dockerfile.ts";

const FILE = "docker/agent/Dockerfile";
const [image = [], ...others] = dockerStages(FILE);
const only = (word: string): readonly string[] => image.flatMap((one) => (one.word === word ? [one.rest] : []));

it("is one stage, and every line is an instruction that a shell can read", () => {
  expect(others).toEqual([]);
  expect([...new Set(image.map(({ word }) => word))].toSorted()).toEqual(
    ["FROM", "RUN", "ENV", "USER", "WORKDIR", "CMD"].toSorted(),
  );
  for (const line of only("RUN")) expect(spawnSync("bash", ["-n", "-c", line]).status).toBe(0);
});

it("runs as nobody's root, with document 003's places, and holds no key", () => {
  expect([only("USER"), only("WORKDIR"), only("ENV"), only("CMD")]).toEqual([
    ["1000:1000"],
    ["/workspace"],
    ["HOME=/home/agent"],
    ['["/bin/bash"]'],
  ]);
  const users = only("RUN").at(-1) ?? "";
  expect(users).toMatch(/useradd --uid 1000 --gid 1000 .*agent/);
  expect(users).toContain("install -d -m 1777 /workspace /home/agent");
  expect(users).toContain("install -d -m 755 /repo");
  // After this line nothing runs as root any more.
  const order = image.map(({ word }) => word);
  expect(order.lastIndexOf("RUN")).toBeLessThan(order.indexOf("USER"));
});

it("is built as the papers say, from nothing of the repository but itself", () => {
  const paper = readFileSync(resolve(import.meta.dirname, "../../docs/operations/containers.md"), "utf8");
  expect(paper).toContain(`podman build -t sallyport/agent:latest -f ${FILE} .`);
  expect(image.some(({ word }) => word === "COPY" || word === "ADD")).toBe(false);
  // The programs of this machine run inside: glibc of Debian, no musl.
  const text = readFileSync(resolve(import.meta.dirname, "../..", FILE), "utf8");
  expect(text).toMatch(/^ARG BASE=node:\d+-bookworm-slim\nFROM \$\{BASE\}$/m);
  for (const program of ["bash", "git", "python3", "ripgrep"]) expect(only("RUN")[0]?.split(/\s+/)).toContain(program);
});
