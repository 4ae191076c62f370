import { answerChallenge, authKindOf, isTunnelProof, type ReadSecret } from "../identity/index.ts";
import type { TunnelAuthResponse } from "../protocol/index.ts";
import type { EndpointBookOptions, EndpointSetting } from "./endpoints.ts";
import type { LinkCredential } from "./handshake.ts";

/** How this gateway proves who it is to an endpoint: as its settings say, whatever the other side asks for. */
export function credentialOf(
  { id: tunnel_id, auth }: Pick<EndpointSetting, "id" | "auth">,
  { secret, signer, clocks }: Pick<EndpointBookOptions, "secret" | "signer" | "clocks">,
): LinkCredential {
  const kind = authKindOf({ auth });
  const key = (): ReturnType<ReadSecret> =>
    typeof auth === "object" && auth.type === "psk" ? secret(auth.secret_path) : { ok: false, why: "there is none" };
  return {
    answer: async (challenge) => {
      if (kind === "none")
        return { ok: false, message: "the other side wants proof, and the tunnel is set to `none` here" };
      if (kind === "nostr") {
        const credential = { kind, signer: await signer() } as const;
        return answerChallenge(challenge, { tunnel_id, credential, clocks });
      }
      const read = key();
      if (!read.ok) return { ok: false, message: read.why };
      return answerChallenge(challenge, { tunnel_id, credential: { kind, key: read.value }, clocks });
    },
    isProof: (proof, response) => {
      if (kind !== "psk") return true;
      const read = key();
      return (
        read.ok &&
        proof !== undefined &&
        response !== undefined &&
        isTunnelProof(proof, { key: read.value, response: response as TunnelAuthResponse })
      );
    },
  };
}
