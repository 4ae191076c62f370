import { createHash } from "node:crypto";
import {
  digestOf,
  GATEWAY_IDENTITY,
  hexOf,
  parsePublicKey,
  parseSignature,
  verifySchnorr,
  type Identity,
} from "../../../identity/index.ts";
import {
  Failure,
  type DecryptFrom,
  type DecryptedText,
  type EncryptedText,
  type EncryptFor,
  type IdentitySignature,
  type IdentityVerdict,
  type IdentityView,
  type SignIdentity,
  type UnsignedEvent,
  type VerifyIdentity,
} from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { TunnelAuthService } from "./tunnel-auth-service.ts";

type IdentityParts = Pick<Dependencies, "store" | "clock" | "newId" | "redact" | "identity">;

/** Keys of principals, made on first use and kept here. They are used and never shown. */
export class IdentityService {
  readonly #dependencies: IdentityParts;
  readonly #tunnels: Pick<TunnelAuthService, "isOpenChallenge">;

  constructor(dependencies: IdentityParts, tunnels: Pick<TunnelAuthService, "isOpenChallenge">) {
    this.#dependencies = dependencies;
    this.#tunnels = tunnels;
  }

  /** Who the caller is to others. */
  async view(caller: Caller): Promise<IdentityView> {
    return viewOf(await this.#identity(caller));
  }

  /** Who this gateway is to tunnels. */
  async gateway(caller: Caller): Promise<IdentityView> {
    authorize(caller, "identity.use");
    return viewOf(await this.#dependencies.identity.keys.identity(GATEWAY_IDENTITY));
  }

  /** Signs what the policy allows: of an agent its open challenges, unless an admin set more. */
  async sign(caller: Caller, request: SignIdentity): Promise<IdentitySignature> {
    const what = this.#allowed(caller, request);
    const identity = await this.#identity(caller);
    const id = "event" in request ? eventId(identity.pubkey, request.event) : undefined;
    const digest = "event" in request ? Buffer.from(id ?? "", "hex") : digestOf(request.data);
    const details = "event" in request ? { what, kind: request.event.kind, id } : { what };
    await this.#dependencies.store.commit({
      audit: [auditRow(this.#dependencies, caller, { action: "identity.sign", target: identity.pubkey, details })],
    });
    const signature = hexOf(await identity.sign(digest));
    return { ...viewOf(identity), signature, ...(id === undefined ? {} : { id }) };
  }

  /** Anybody's signature of a text. */
  async verify(caller: Caller, { data, signature, pubkey }: VerifyIdentity): Promise<IdentityVerdict> {
    authorize(caller, "identity.use");
    const key = await parsePublicKey(pubkey);
    if (key === undefined) throw new Failure("invalid_request", "the pubkey is no key: write it as hex or npub");
    const bytes = parseSignature(signature);
    if (bytes === undefined)
      throw new Failure("invalid_request", "the signature is none: write it as hex or base64, 64 bytes");
    return { valid: await verifySchnorr(digestOf(data), { signature: bytes, pubkey: key }) };
  }

  async encrypt(caller: Caller, { pubkey, plaintext }: EncryptFor): Promise<EncryptedText> {
    this.#mayEncrypt(caller);
    return { ciphertext: await (await this.#identity(caller)).encrypt(pubkey, plaintext) };
  }

  async decrypt(caller: Caller, { pubkey, ciphertext }: DecryptFrom): Promise<DecryptedText> {
    this.#mayEncrypt(caller);
    return { plaintext: await (await this.#identity(caller)).decrypt(pubkey, ciphertext) };
  }

  #identity(caller: Caller): Promise<Identity> {
    authorize(caller, "identity.use");
    const { keys, setting } = this.#dependencies.identity;
    return keys.identity(setting?.identity === "gateway" ? GATEWAY_IDENTITY : caller.id);
  }

  /** Throws unless the caller may sign this. What the text says is not looked at: only whether it is a challenge of ours. */
  #allowed(caller: Caller, request: SignIdentity): "challenge" | "event" | "text" {
    authorize(caller, "identity.use");
    const { setting } = this.#dependencies.identity;
    const { challenges = true, event_kinds = [], texts = false } = setting?.policy ?? {};
    // The gateway's own key is an admin's: whoever signs with it speaks for everybody here.
    const isBound = caller.role === "agent" || (setting?.identity === "gateway" && caller.role !== "admin");
    if ("event" in request) {
      const { kind } = request.event;
      if (!isBound || event_kinds.includes(kind)) return "event";
      throw notAllowed(`events of kind ${kind}`, "event_kinds");
    }
    if (this.#tunnels.isOpenChallenge(caller, request.data)) {
      if (!isBound || challenges) return "challenge";
      throw notAllowed("challenges of tunnels", "challenges");
    }
    if (!isBound || texts) return "text";
    throw notAllowed("this text, which is no challenge that you read at auth/challenge,", "texts");
  }

  #mayEncrypt(caller: Caller): void {
    authorize(caller, "identity.use");
    const { setting } = this.#dependencies.identity;
    if (caller.role === "agent" && setting?.policy?.encryption === false)
      throw notAllowed("messages, nor encrypt or decrypt them,", "encryption");
  }
}

function notAllowed(what: string, setting: string): Failure {
  return new Failure(
    "forbidden",
    `the policy does not let agents sign ${what}; an admin can set ${setting} under mounts./identity.policy`,
  );
}

function viewOf({ pubkey, npub }: Identity): IdentityView {
  return { pubkey, npub };
}

/** NIP-01: the SHA-256 of the event's fields in one order. */
function eventId(pubkey: string, { created_at, kind, tags, content }: UnsignedEvent): string {
  return createHash("sha256")
    .update(JSON.stringify([0, pubkey, created_at, kind, tags, content]))
    .digest("hex");
}
