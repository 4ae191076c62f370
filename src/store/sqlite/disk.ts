import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { quietly } from "./stall.ts";
import type { StoreDisk } from "../store.ts";

const CHUNK_BYTES = 1_048_576;

function reservePath(path: string): string {
  return `${path}.reserve`;
}

/** Undefined if the file system does not say. */
export function diskOf(path: string): StoreDisk | undefined {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return {
      freeBytes: bavail * bsize,
      // Some file systems count no files at all.
      freeFiles: files > 0 ? ffree : Infinity,
      databaseBytes: sizeOf(path) ?? 0,
      walBytes: sizeOf(`${path}-wal`) ?? 0,
    };
  } catch {
    return undefined;
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Returns the reserve to a full disk. False: there was none. */
export function releaseReserve(path: string): boolean {
  if (sizeOf(reservePath(path)) === undefined) return false;
  try {
    rmSync(reservePath(path));
    return true;
  } catch {
    return false;
  }
}

/** Reserves space while there is enough. The file holds noise, which no file system can compress. */
export function makeReserve(path: string, bytes: number): void {
  if (bytes === 0 || sizeOf(reservePath(path)) === bytes) return;
  const next = `${reservePath(path)}.next`;
  try {
    const file = openSync(next, "w", 0o600);
    try {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes));
      for (let left = bytes; left > 0; left -= chunk.length)
        writeSync(file, randomFillSync(chunk), 0, Math.min(chunk.length, left));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, reservePath(path));
  } catch {
    quietly(() => rmSync(next, { force: true }));
  }
}
