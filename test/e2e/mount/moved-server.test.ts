import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SallyportClient } from "../../../src/client/index.ts";
import { describeWithFuse, MountPlace } from "../../support/fuse.ts";
import { makePlace, startServer, type ServerProcess } from "../../support/server.ts";
import { newSession, ok, startMount } from "./world.ts";

describeWithFuse("a mount of the home's server", () => {
  it("finds it again on another port, and with another token", async () => {
    const home = await makePlace();
    const tokenFile = join(home.home, "token");
    const serve = (): Promise<ServerProcess> => startServer(home, { SALLYPORT_PORT: "0", SALLYPORT_TOKEN: "" });
    let server = await serve();
    const place = new MountPlace();
    const mount = await startMount({ home: home.home, folder: place.folder });
    try {
      const id = await newSession(place.folder, { model: "sim" });
      const before = server.url;
      await server.stop();
      server = await serve();
      expect(server.url).not.toBe(before);
      expect(await ok(place.folder, `cat sessions/${id}/status`)).toContain(id);

      await server.stop();
      const fresh = `sp_${randomBytes(32).toString("base64url")}`;
      await writeFile(tokenFile, `${fresh}\n`, { mode: 0o600 });
      server = await serve();
      const admin = new SallyportClient({ url: server.url, token: fresh });
      // The newest first: the last one is the mount's.
      await admin.deleteToken((await admin.tokens()).tokens.at(-1)?.id ?? "");
      expect(await ok(place.folder, `cat sessions/${id}/status; ls sessions`)).toContain(id);
    } finally {
      await mount.end("SIGTERM");
      place.remove();
      await server.stop();
      await home.remove();
    }
  });
});
