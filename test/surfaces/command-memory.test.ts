import { expect, it } from "vitest";
import type { Item } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script } from "../support/app.ts";

/** Takes 100 MB at a time and never ends by itself. */
const GREEDY = `echo begin; '${process.execPath}' -e 'const all = []; setInterval(() => all.push(Buffer.alloc(1e8, 1)), 20)'`;

it.runIf(process.platform === "linux")("a command that takes too much memory is ended with the reason", async () => {
  await using app = await openTestApp({ SALLYPORT_COMMAND_MEMORY_MIB: "256" });
  const { events } = await runScript(
    app.client,
    {
      prompt: {
        text: script({ tool: "Bash", input: { command: GREEDY } }, { say: "Done." }),
      },
    },
    approveWith(app.client),
  );
  const ended = events.flatMap((event): readonly Item[] => (event.type === "item.completed" ? [event.item] : []));
  const told = ended.flatMap((item) =>
    "output" in item ? [(item.output ?? []).map((block) => (block.type === "text" ? block.text : "")).join("")] : [],
  );
  expect(told[0]).toBe("The command was ended: it used more than 256 MiB of memory.\nbegin");
});
