import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { digestOf, GATEWAY_IDENTITY, IdentityKeys, secretsIn, verifySchnorr } from "../../src/identity/index.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "sallyport-identity-"));
  folders.push(made);
  return made;
}

function openRing(home = folder()) {
  const learned: string[] = [];
  const ring = new IdentityKeys({ folder: join(home, "identity"), learn: (secret) => learned.push(secret) });
  return { home, ring, learned };
}

test("a key is made once, private, told to the redactor, and is the same after a restart", async () => {
  const { home, ring, learned } = openRing();
  expect(await ring.existing(GATEWAY_IDENTITY)).toBeUndefined();
  const [one, other] = await Promise.all([
    ring.identity(GATEWAY_IDENTITY),
    openRing(home).ring.identity(GATEWAY_IDENTITY),
  ]);
  expect(other.pubkey).toBe(one.pubkey);
  const path = join(home, "identity", "gateway.key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "identity")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, "identity"))).toEqual(["gateway.key"]);
  expect(learned).toEqual([readFileSync(path, "utf8").trim()]);
  expect(Object.keys(one).toSorted()).toEqual(["decrypt", "encrypt", "npub", "pubkey", "sign"]);
  const digest = digestOf("hello");
  const signature = await one.sign(digest);
  expect(await verifySchnorr(digest, { signature, pubkey: Buffer.from(one.pubkey, "hex") })).toBe(true);
});

test("two identities talk, and nobody else reads it", async () => {
  const { ring } = openRing();
  const [alice, bob, eve] = await Promise.all(["alice", "bob", "eve"].map((name) => ring.identity(name)));
  const sealed = await alice?.encrypt(bob?.npub ?? "", "meet at noon");
  expect(await bob?.decrypt(alice?.pubkey ?? "", sealed ?? "")).toBe("meet at noon");
  await expect(eve?.decrypt(alice?.pubkey ?? "", sealed ?? "")).rejects.toMatchObject({ code: "invalid_request" });
  await expect(alice?.encrypt("nobody", "x")).rejects.toMatchObject({ code: "invalid_request" });
});

test("a key can be replaced by a new one or by a given one; the old one stays on the disk", async () => {
  const { ring, home } = openRing();
  const first = await ring.identity("me");
  const second = await ring.replace("me");
  expect(second.pubkey).not.toBe(first.pubkey);
  const third = await ring.replace("me", "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5");
  expect(third.npub).toBe("npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg");
  expect(readdirSync(join(home, "identity")).filter((name) => name.endsWith(".old"))).toHaveLength(2);
  await expect(ring.replace("me", "nsec1")).rejects.toMatchObject({ code: "invalid_request" });
  expect((await ring.identity("me")).pubkey).toBe(third.pubkey);
});

test.each(["../up", "", "a/b", ".hidden", "x".repeat(200)])("%j is no name", async (name) => {
  await expect(openRing().ring.identity(name)).rejects.toMatchObject({ code: "invalid_request" });
});

test("a key that others can read, a link or a damaged key is not used", async () => {
  const { home, ring } = openRing();
  const at = (name: string): string => join(home, "identity", `${name}.key`);
  await ring.identity("good");
  writeFileSync(at("open"), readFileSync(at("good")), { mode: 0o644 });
  symlinkSync(at("good"), at("link"));
  writeFileSync(at("damaged"), "no key\n", { mode: 0o600 });
  for (const name of ["open", "link", "damaged"])
    await expect(ring.identity(name)).rejects.toMatchObject({ code: "internal" });
});

test("a secret is a private file below its folder", () => {
  const home = folder();
  const learned: string[] = [];
  const read = secretsIn({ folder: home, learn: (secret) => learned.push(secret) });
  mkdirSync(join(home, "tunnels"));
  const put = (name: string, text: string, mode = 0o600): void => {
    writeFileSync(join(home, name), text);
    chmodSync(join(home, name), mode);
  };
  put("tunnels/home", "a key with 24 characters\n");
  put("short", "too short\n");
  put("open", "a key with 24 characters\n", 0o640);
  put("lines", "a key with 24 characters\nand another line\n");
  put("long", "x".repeat(1_025));
  symlinkSync(join(home, "tunnels", "home"), join(home, "link"));
  expect(read("tunnels/home")).toEqual({ ok: true, value: "a key with 24 characters" });
  expect(learned).toEqual(["a key with 24 characters"]);
  const refused = [
    "short",
    "open",
    "lines",
    "long",
    "link",
    "tunnels",
    "missing",
    "../x",
    "/etc/passwd",
    "tunnels/../short",
    "",
  ];
  for (const path of refused) {
    const answer = read(path);
    expect(answer.ok, path).toBe(false);
    expect(JSON.stringify(answer)).not.toContain("a key with");
  }
});
