import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { has } from "./programs.ts";

/** An image of nothing but places: the programs of this machine are shown in it. No registry is needed to make it. */
export const IMAGE = `localhost/sallyport-conformance:${process.pid}`;

export function importImage(base: string): void {
  if (!has("podman")) return;
  const root = join(base, "image");
  for (const folder of ["usr", "etc", "proc", "sys", "dev", "tmp", "home/agent", "workspace", "repo"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${folder}`, join(root, folder));
  writeFileSync(join(root, "etc/passwd"), "agent:x:1000:1000::/home/agent:/bin/sh\n");
  const { stdout } = spawnSync("tar", ["--directory", root, "--create", "."]);
  spawnSync("podman", ["import", "--quiet", "-", IMAGE], { input: stdout });
}

export function removeImage(): void {
  if (has("podman")) spawnSync("podman", ["rmi", "--force", IMAGE]);
}
