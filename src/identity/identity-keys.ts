import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { TunnelSigner } from "./answer.ts";
import { hexOf, npubOf, parsePublicKey, parseSecretKey } from "./keys.ts";
import { conversationKey, decryptText, encryptText } from "./nip44.ts";
import { newSecretKey, publicKeyOf, signSchnorr } from "./schnorr.ts";

/** A key that is used and never shown. */
export interface Identity extends TunnelSigner {
  /** The same as npub. */
  readonly npub: string;
  /** NIP-44, for somebody's key: hex or npub. */
  encrypt(pubkey: string, text: string): Promise<string>;
  decrypt(pubkey: string, payload: string): Promise<string>;
}

/** The identity of the gateway itself: with it a gateway introduces itself to tunnels. */
export const GATEWAY_IDENTITY = "gateway";

const NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;
const SUFFIX = ".key";

/** Private keys as files of one private folder: one line of 64 hexadecimal digits each. Made on first use. */
export class IdentityKeys {
  readonly #folder: string;
  readonly #learn: (secret: string) => void;
  /** With the text of the file that each was made from: a key that is replaced while the server runs counts at once. */
  readonly #known = new Map<string, { readonly text: string; readonly identity: Promise<Identity> }>();

  constructor({ folder, learn }: { readonly folder: string; readonly learn: (secret: string) => void }) {
    this.#folder = folder;
    this.#learn = learn;
  }

  /** The identity of this name. Made, and on the disk, if there was none. */
  async identity(name: string): Promise<Identity> {
    const text = this.#read(name);
    return text === undefined ? this.#make(name) : this.#opened(name, text);
  }

  /** Undefined: it has none yet. Nothing is made. */
  async existing(name: string): Promise<Identity | undefined> {
    return this.#read(name) === undefined ? undefined : this.identity(name);
  }

  /** Puts another key in the place of this one: the given one, or a new one. The old one is kept beside it. */
  async replace(name: string, secretKey?: string): Promise<Identity> {
    const path = this.#path(name);
    const bytes = secretKey === undefined ? await newSecretKey() : await parseSecretKey(secretKey);
    if (bytes === undefined)
      throw new Failure("invalid_request", "this is no secret key: 64 hexadecimal digits, or nsec1…");
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = await this.#draft(bytes);
    await rename(path, `${path}.${randomUUID()}.old`).catch(ignoreMissing);
    await rename(fresh, path);
    return this.identity(name);
  }

  #opened(name: string, text: string): Promise<Identity> {
    const known = this.#known.get(name);
    if (known?.text === text) return known.identity;
    const identity = identityOf(text, { name, learn: this.#learn });
    this.#known.set(name, { text, identity });
    identity.catch(() => this.#known.delete(name));
    return identity;
  }

  async #make(name: string): Promise<Identity> {
    const path = this.#path(name);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if ((await readdir(this.#folder)).length >= LIMITS.identities)
      throw new Failure("limit_reached", `this server keeps ${LIMITS.identities} identities; remove old ones`);
    const draft = await this.#draft(await newSecretKey());
    // Whoever comes first has made the identity: an existing key is never replaced here.
    await link(draft, path).catch(ignoreExisting);
    await rm(draft, { force: true });
    return this.#opened(name, this.#read(name) ?? "");
  }

  async #draft(secretKey: Uint8Array): Promise<string> {
    const draft = join(this.#folder, `.${randomUUID()}.new`);
    await writeFile(draft, `${hexOf(secretKey)}\n`, { mode: 0o600, flag: "wx", flush: true });
    return draft;
  }

  #read(name: string): string | undefined {
    const path = this.#path(name);
    let file: number;
    try {
      file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      throw new Failure("internal", `the key of the identity ${name} cannot be read (${code ?? "?"})`);
    }
    try {
      const found = fstatSync(file);
      if (!found.isFile() || (found.mode & 0o077) !== 0)
        throw new Failure("internal", `the key of the identity ${name} must be a private file: chmod 600`);
      const bytes = Buffer.alloc(128);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0)).trim();
    } finally {
      closeSync(file);
    }
  }

  #path(name: string): string {
    if (!NAME.test(name)) throw new Failure("invalid_request", "this is no name of an identity");
    return join(this.#folder, `${name}${SUFFIX}`);
  }
}

async function identityOf(
  text: string,
  { name, learn }: { readonly name: string; readonly learn: (secret: string) => void },
): Promise<Identity> {
  const secretKey = await parseSecretKey(text);
  const pubkey = secretKey === undefined ? undefined : await publicKeyOf(secretKey);
  if (secretKey === undefined || pubkey === undefined)
    throw new Failure("internal", `the key of the identity ${name} is damaged: restore it, or make a new one`);
  learn(text);
  const keyWith = async (other: string): Promise<Uint8Array> => {
    const parsed = await parsePublicKey(other);
    if (parsed === undefined) throw new Failure("invalid_request", "the pubkey is no key: write it as hex or npub");
    return conversationKey({ secretKey, pubkey: parsed });
  };
  return {
    pubkey: hexOf(pubkey),
    npub: npubOf(pubkey),
    sign: (digest) => signSchnorr(digest, { secretKey }),
    encrypt: async (other, plain) => encryptText(plain, { key: await keyWith(other) }),
    decrypt: async (other, payload) => decryptText(payload, await keyWith(other)),
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
