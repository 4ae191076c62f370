import { describe, expect, test } from "vitest";
import type { ComputationView, ContainerView } from "../../src/protocol/index.ts";
import { Place, script } from "./place.ts";

describe("sallyport sandbox", () => {
  test("gives what the program writes and its exit code, and passes its words on as they are", async () => {
    await using place = new Place();
    const words = ["sandbox", "--autonomy", "full", "--", "printf", "%s|", "a b", "$HOME", "it's"];
    expect(await place.run(words)).toEqual({ code: 0, stdout: "a b|$HOME|it's|", stderr: "" });
    const shell = ["sandbox", "--autonomy", "full", "--cwd", ".", "--json", "--shell", "--", "pwd; exit 7"];
    const { code, stdout } = await place.run(shell);
    const view = JSON.parse(stdout) as ContainerView;
    expect({ code, ...view }).toMatchObject({ code: 7, status: "complete", exit_code: 7, workspace: place.folder });
    expect(view.results[0]?.output).toBe(`Exit code 7\n${place.folder}`);
  });

  test("says why there is no exit code", async () => {
    await using place = new Place();
    const late = await place.run(["sandbox", "--autonomy", "full", "--timeout", "1", "--", "sleep", "60"]);
    expect(late).toMatchObject({ code: 1, stdout: "" });
    expect(late.stderr).toContain("Command timed out after 1s");
    expect(await place.run(["sandbox", "--memory", "1", "--", "true"])).toMatchObject({ code: 2 });
    expect(await place.run(["sandbox"])).toMatchObject({ code: 2 });
  });
});

describe("sallyport compute", () => {
  test("prints the model's answer", async () => {
    await using place = new Place();
    expect(await place.run(["compute", script([{ say: "Red." }])])).toMatchObject({ code: 0, stdout: "Red.\n" });
    const late = await place.run(["compute", script([{ delay_ms: 60_000 }]), "--timeout", "1", "--json"]);
    expect(late.code).toBe(1);
    const error = "the model did not answer within 1000 ms";
    expect(JSON.parse(late.stdout) as ComputationView).toMatchObject({ status: "failed", error });
  });
});
