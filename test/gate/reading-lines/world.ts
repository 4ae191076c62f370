import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { bench, type Bench } from "../../tools/fixture.ts";

const FILES: Readonly<Record<string, string>> = {
  "a.txt": "foo one\nbar two\n",
  "b.txt": "foo one\nbaz three\n",
  "with space.txt": "x\n",
  "ümlaut.txt": "x\n",
  "README.md": "# readme\n",
  "package.json": '{"name":"x","scripts":{"test":"true"}}\n',
  "data.json": '[{"a":1},{"a":2}]\n',
  "src/a.ts": "export const foo = 1;\n",
  "src/b.ts": "export const bar = 2;\n",
  "src/deep/c.ts": "export {};\n",
  "docs/x.md": "foo\n",
  ".env": "KEY=CANARY-SECRET\n",
  ".env.example": "KEY=\n",
  ".npmrc": "//registry/:_authToken=CANARY-SECRET\n",
  "server.pem": "CANARY-SECRET\n",
  "keys/id_rsa": "CANARY-SECRET\n",
  "secrets/a.ts": "foo\n",
  "secrets/.env": "foo=CANARY-SECRET\n",
  "mixed/ok.ts": "ok\n",
  "opts/-delete": "x\n",
  "opts/--output=x": "x\n",
  "opts/n.txt": "x\n",
  ".sallyport/token": "CANARY-SECRET\n",
};

/** A repository with two commits, a change, secrets, links out, a pipe, and files whose names are options. */
export async function readingWorld(): Promise<Bench> {
  const world = await bench();
  for (const [name, content] of Object.entries(FILES)) await world.put(name, content);
  git(world, "init", "-q", "-b", "main");
  git(world, "config", "user.name", "dev");
  git(world, "config", "user.email", "dev@example.org");
  git(world, "remote", "add", "origin", "https://example.org/x.git");
  git(world, "add", "a.txt", "b.txt", "src", "docs");
  git(world, "commit", "-qm", "one");
  git(world, "commit", "-q", "--allow-empty", "-m", "two");
  await world.put("a.txt", "foo one\nbar 2\n");
  await mkdir(world.outside, { recursive: true });
  execFileSync("/bin/sh", [
    "-c",
    'printf CANARY-OUTSIDE > "$1/secret.txt"; mkfifo "$2/pipe"',
    "sh",
    world.outside,
    world.workspace,
  ]);
  await symlink(`${world.outside}/secret.txt`, world.path("outlink"));
  await symlink(world.outside, world.path("outdir"));
  await symlink(`${world.outside}/secret.txt`, world.path("mixed/link.ts"));
  await symlink("src", world.path("indir"));
  await symlink(".env", world.path("secretlink"));
  return world;
}

export function git({ workspace }: Pick<Bench, "workspace">, ...words: readonly string[]): string {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...words], { cwd: workspace, env, encoding: "utf8" });
}
