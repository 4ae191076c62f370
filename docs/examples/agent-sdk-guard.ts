import { query } from "@anthropic-ai/claude-agent-sdk";
import { createGuardedHook } from "sallyport/hooks";

const [cwd = "", prompt = ""] = process.argv.slice(-2);
const guard = createGuardedHook({ workspace: cwd });
const messages = query({
  prompt,
  options: {
    cwd,
    allowedTools: ["Bash"],
    settingSources: [],
    // Whatever goes wrong in the hook blocks the command.
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard], onFailure: "block" }] },
  },
});
for await (const message of messages) {
  if (message.type === "user") console.log(JSON.stringify(message.message.content));
  if (message.type === "result") console.log(message.subtype);
}
