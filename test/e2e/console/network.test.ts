import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { addressOf, openTarget } from "../../support/egress-targets.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { begin, consoleWorld, conversation, question } from "./world.ts";

describeWithWalls("with walls", () => {
  describeInBrowser("a host that a program wants", () => {
    const world = consoleWorld({ SALLYPORT_SANDBOX: "auto" }, { addressOf });

    test("is shown, cannot be edited, and is open for the session after a yes", async () => {
      const target = await openTarget();
      await world.client.setPolicy({ default_profile: "net", profiles: { net: { allow: ["Bash"] } } });
      const host = `docs.test:${target.port}`;
      const command = `curl -sS http://${host}/`;
      const id = await begin(world, [{ tool: "Bash", input: { command } }, { say: "Reached." }]);
      const visitor = await world.visit(`/sessions/${id}`);
      const { page } = visitor;
      await question(page).getByText(host, { exact: true }).waitFor();
      await question(page).getByText(`“For this session” also allows: Network(${host})`).waitFor();
      await conversation(page).getByText(`Waiting for approval: A program wants to connect to ${host}.`).waitFor();
      expect(await question(page).getByRole("button", { name: /^Edit/ }).count()).toBe(0);
      await question(page).getByRole("button", { name: "Approve for this session" }).click();
      await conversation(page).getByText("Reached.", { exact: true }).waitFor();
      expect((await world.client.session(id)).grants).toEqual([`Network(${host})`]);
      expect(target.seen).toEqual(["GET /"]);
      expect(visitor.troubles).toEqual([]);
      await target.close();
    });
  });
});
