import { describe, expect, test } from "vitest";
import { evaluate } from "../../src/gate/index.ts";
import { ARGUMENT_ATTACKS } from "./attacks-by-argument.ts";
import { SHELL_ATTACKS } from "./attacks-by-shell.ts";
import { bash, context } from "./stand.ts";

/** Every line of the tables must be refused by the guard, and by nothing else. */

const refused = (command: string): void => {
  const { effect, step } = evaluate(bash(command), context({ hooks: ["guarded"] }, { autonomy: "full" }));
  expect({ command, effect, step }).toEqual({ command, effect: "deny", step: "hooks" });
};

describe.each(Object.entries({ ...SHELL_ATTACKS, ...ARGUMENT_ATTACKS }))("%s", (_name, commands) => {
  test.each(commands.map((command) => [command.slice(0, 60), command]))("%j", (_short, command) => refused(command));
});

test("a command may not leave the sandbox", () => {
  expect(
    evaluate(bash("ls", { dangerouslyDisableSandbox: true }), context({ hooks: ["guarded"] }, { autonomy: "full" })),
  ).toEqual({
    effect: "deny",
    step: "hooks",
    rule: "guarded: sandbox",
    why: "Commands may not leave the sandbox (dangerouslyDisableSandbox).",
  });
});
