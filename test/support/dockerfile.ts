import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export interface DockerInstruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile of this repository with their lines joined, without comments; one list a stage. */
export function dockerStages(path: string): readonly (readonly DockerInstruction[])[] {
  const lines = readFileSync(join(root, path), "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const all = lines.map((line): DockerInstruction => {
    const [, word = "", rest = ""] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    return { word, rest };
  });
  const starts = all.flatMap(({ word }, index) => (word === "FROM" ? [index] : []));
  return starts.map((start, index) => all.slice(start, starts[index + 1]));
}
