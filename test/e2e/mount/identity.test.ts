import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp } from "../../support/app.ts";
import { describeWithFuse, MountPlace } from "../../support/fuse.ts";
import { ok, startMount } from "./world.ts";

const SETTINGS = `
mounts:
  /claude:
    type: claude
    access: budgeted
    tunnels: [{ id: local-proxy, url: "wss://my-tunnel.ngrok.io/claude", auth: nostr }]
`;

/** Document 003's authentication with a shell: F is /claude, I is /identity. */
const FLOW = `
set -e
challenge=$(sed -n 's/.*"challenge": "\\(.*\\)".*/\\1/p' $F/auth/challenge)
exec 3<> $I/sign
printf %s "$challenge" >&3
answer=$(cat <&3)
exec 3>&-
signature=$(printf %s "$answer" | sed -n 's/.*"signature": "\\(.*\\)".*/\\1/p')
pubkey=$(printf %s "$answer" | sed -n 's/.*"pubkey": "\\(.*\\)".*/\\1/p')
printf '{"challenge":"%s","signature":"%s","pubkey":"%s","tunnel_id":"local-proxy"}' "$challenge" "$signature" "$pubkey" > $F/auth/challenge
cat $F/auth/status`;

describeWithFuse("sallyport mount --tree /identity", () => {
  it("an agent proves who it is with a shell: challenge, sign, response, status", async () => {
    await using app = await openTestApp();
    await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
    await app.restart();
    const { token } = await app.as("agent", "worker");
    const [files, identity] = [new MountPlace(), new MountPlace()];
    const { url } = app.serving;
    const mounts = [
      await startMount({ url, token, folder: files.folder, words: [] }),
      await startMount({ url, token, folder: identity.folder, words: ["--tree", "/identity"] }),
    ];
    try {
      expect(await ok(identity.folder, "ls")).toBe("decrypt\nencrypt\nerror\npubkey\nsign\nverify\n");
      const status = await ok(files.folder, `F=${files.folder}; I=${identity.folder}; ${FLOW}`);
      const { pubkey } = JSON.parse(await ok(identity.folder, "cat pubkey")) as { pubkey: string };
      expect(JSON.parse(status)).toEqual([
        {
          tunnel_id: "local-proxy",
          auth_type: "nostr",
          authorized: true,
          pubkey,
          challenge_expires_at: expect.any(String) as string,
        },
      ]);
    } finally {
      for (const mount of mounts) await mount.end("SIGTERM");
      files.remove();
      identity.remove();
    }
  });
});
