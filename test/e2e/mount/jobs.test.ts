import { expect, it } from "vitest";
import { openTestApp } from "../../support/app.ts";
import { describeWithFuse, MountPlace } from "../../support/fuse.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { newSession, ok, startMount } from "./world.ts";

describeWithFuse("sallyport mount --tree /containers", () => {
  it("runs commands with a shell: new, output, result", async () => {
    await using app = await openTestApp();
    const place = new MountPlace();
    const words = ["--tree", "/containers"];
    const mount = await startMount({ url: app.serving.url, token: TEST_TOKEN, folder: place.folder, words });
    try {
      const id = await newSession(place.folder, { commands: ["echo one", "echo two; exit 5"], autonomy: "full" });
      expect(await ok(place.folder, `cat sessions/${id}/output`)).toBe("one\nExit code 5\ntwo\n");
      expect(JSON.parse(await ok(place.folder, `cat sessions/${id}/result`))).toMatchObject({ exit_code: 5 });
      expect(await ok(place.folder, "ls")).toBe("error\nnew\npolicy\nproviders\nsessions\nusage\n");
    } finally {
      await mount.end("SIGTERM");
      place.remove();
    }
  });
});
