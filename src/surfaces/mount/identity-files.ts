import {
  DecryptedText,
  DecryptFrom,
  EncryptedText,
  EncryptFor,
  IdentitySignature,
  IdentityVerdict,
  IdentityView,
  SignIdentity,
  VerifyIdentity,
} from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import type { FileNode } from "./tree.ts";

const needs = "identity.use" as const;

/** The files of `/identity`: the caller's key, used and never shown. */
export function identityFiles({ gateway }: MountContext): readonly FileNode[] {
  return [
    {
      path: "pubkey",
      summary: "Your public key, as hex and npub; made when it is first read",
      content: "json",
      read: { needs, answer: IdentityView, run: ({ caller }) => gateway.identity.view(caller) },
    },
    {
      path: "sign",
      summary: "Write a text or an event, read its signature on the same handle",
      content: "json",
      write: {
        needs,
        call: true,
        json: SignIdentity,
        text: "a text to sign, such as a challenge",
        answer: IdentitySignature,
        run: ({ caller }, text) => gateway.identity.sign(caller, signRequest(text)),
      },
    },
    {
      path: "verify",
      summary: "Whether a signature is right",
      content: "json",
      write: {
        needs,
        call: true,
        json: VerifyIdentity,
        answer: IdentityVerdict,
        run: ({ caller }, text) => gateway.identity.verify(caller, parseWritten(VerifyIdentity, json(text))),
      },
    },
    {
      path: "encrypt",
      summary: "Write a text for somebody's key, read what only that key can decrypt (NIP-44)",
      content: "json",
      write: {
        needs,
        call: true,
        json: EncryptFor,
        answer: EncryptedText,
        run: ({ caller }, text) => gateway.identity.encrypt(caller, parseWritten(EncryptFor, json(text))),
      },
    },
    {
      path: "decrypt",
      summary: "Write what somebody encrypted for you, read its text",
      content: "json",
      write: {
        needs,
        call: true,
        json: DecryptFrom,
        answer: DecryptedText,
        run: ({ caller }, text) => gateway.identity.decrypt(caller, parseWritten(DecryptFrom, json(text))),
      },
    },
  ];
}

/** A JSON object says what it is; anything else is a text. A line's end is no part of it: shells add one. */
function signRequest(text: string): SignIdentity {
  if (text.trimStart().startsWith("{")) return parseWritten(SignIdentity, json(text));
  return parseWritten(SignIdentity, { data: text.replace(/\r?\n$/, "") });
}
