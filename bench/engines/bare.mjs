// The control: the same SDK and the same program, driven by as little as it takes. The same model, tools, permission mode
// and environment as ours; every call of a tool is asked about and allowed at once; nothing is kept, metered or shown.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { query } from "@anthropic-ai/claude-agent-sdk";

const [folder, workspace, simUrl, claude, model] = process.argv.slice(2);
const TOOLS = "Read,Write,Edit,NotebookEdit,TodoWrite,AskUserQuestion,Agent,Bash,Glob,Grep".split(",");
const FORBIDDEN =
  "ListAgents,SendMessage,CronCreate,CronDelete,CronList,ScheduleWakeup,RemoteTrigger,Workflow,Monitor,Skill,ToolSearch,WebSearch,EnterWorktree,ExitWorktree,EnterPlanMode,ExitPlanMode,TaskOutput,TaskStop,ReportFindings".split(
    ",",
  );
const MAX_TURNS = 15;

/** A configuration of its own for each conversation, as ours have. */
function environment() {
  const own = mkdtempSync(join(folder, "c-"));
  return {
    PATH: process.env.PATH,
    HOME: folder,
    TERM: "dumb",
    ANTHROPIC_BASE_URL: simUrl,
    ANTHROPIC_AUTH_TOKEN: "bench",
    CLAUDE_CONFIG_DIR: own,
    CLAUDE_CODE_TMPDIR: own,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1",
    CLAUDE_CODE_ENABLE_TASKS: "0",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8192",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}

function isText(message) {
  return message.type === "stream_event" && message.event.delta?.type === "text_delta";
}

/** One long-lived process that takes one prompt after the other. */
class Conversation {
  #waiting = [];
  #wake = () => undefined;
  #closed = false;
  #query;
  #messages;
  pid;

  constructor() {
    this.#query = query({
      prompt: this.#input(),
      options: {
        cwd: workspace,
        env: environment(),
        model,
        pathToClaudeCodeExecutable: claude,
        permissionMode: "default",
        settingSources: [],
        strictMcpConfig: true,
        includePartialMessages: true,
        systemPrompt: { type: "preset", preset: "claude_code" },
        tools: TOOLS,
        disallowedTools: FORBIDDEN,
        maxTurns: MAX_TURNS,
        hooks: { PreToolUse: [{ hooks: [async () => ASK] }] },
        canUseTool: async (_tool, input) => ({ behavior: "allow", updatedInput: input }),
        extraArgs: { "disable-slash-commands": null },
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
          this.pid = child.pid;
          return child;
        },
      },
    });
    this.#messages = this.#query[Symbol.asyncIterator]();
  }

  async *#input() {
    for (;;) {
      const text = this.#waiting.shift();
      if (text !== undefined)
        yield {
          type: "user",
          client_composed: true,
          session_id: "",
          parent_tool_use_id: null,
          message: { role: "user", content: [{ type: "text", text }] },
        };
      else if (this.#closed) return;
      else
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async turn(text, begun = performance.now()) {
    this.#waiting.push(text);
    this.#wake();
    let first;
    for (;;) {
      const { value, done } = await this.#messages.next();
      if (done) throw new Error("the program ended");
      if (isText(value)) first ??= performance.now() - begun;
      if (value.type !== "result") continue;
      if (value.is_error) throw new Error(JSON.stringify(value).slice(0, 500));
      return { first_ms: first, whole_ms: performance.now() - begun };
    }
  }

  close() {
    this.#closed = true;
    this.#wake();
    this.#query.close();
  }
}

const ASK = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };

/** One process for one prompt. */
async function runCli(text, { env, resume }) {
  const begun = performance.now();
  const words = [
    "-p",
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
    "--include-partial-messages",
    "--permission-mode=default",
    "--setting-sources=",
    "--strict-mcp-config",
    "--disable-slash-commands",
    `--model=${model}`,
    `--max-turns=${MAX_TURNS}`,
    `--tools=${TOOLS.join(",")}`,
    `--disallowedTools=${FORBIDDEN.join(",")}`,
    "--allowedTools=Read",
    ...(resume === undefined ? [] : [`--resume=${resume}`]),
  ];
  const child = spawn(claude, words, { cwd: workspace, env, stdio: ["pipe", "pipe", "ignore"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const content = [{ type: "text", text }];
  child.stdin.end(`${JSON.stringify({ type: "user", client_composed: true, message: { role: "user", content } })}\n`);
  let first;
  let result;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line);
    if (isText(message)) first ??= performance.now() - begun;
    if (message.type !== "result") continue;
    result = { first_ms: first, whole_ms: performance.now() - begun, session: message.session_id };
    if (message.is_error) throw new Error(line.slice(0, 500));
  }
  if (result === undefined) throw new Error("the program ended without a result");
  return result;
}

const children = new Set();
const open = new Map();
const cli = new Map();

const answers = {
  /** A turn of a conversation that is there already. */
  async turn({ name, text }) {
    return open.get(name).turn(text);
  },
  async open({ name, text }) {
    const conversation = new Conversation();
    open.set(name, conversation);
    return { ...(await conversation.turn(text)), pid: conversation.pid };
  },
  async close({ name }) {
    open.get(name).close();
    open.delete(name);
    return {};
  },
  /** From nothing to the end of the first turn. */
  async cold({ text }) {
    const begun = performance.now();
    const conversation = new Conversation();
    const times = await conversation.turn(text, begun);
    conversation.close();
    return times;
  },
  async cliCold({ text }) {
    return runCli(text, { env: environment() });
  },
  async cliOpen({ name, text }) {
    const env = environment();
    const { session, ...times } = await runCli(text, { env });
    cli.set(name, { env, resume: session });
    return times;
  },
  async cliTurn({ name, text }) {
    return runCli(text, cli.get(name));
  },
};

process.on("message", (question) => {
  answers[question.do](question).then(
    (answer) => process.send(answer),
    (error) => process.send({ error: error.message }),
  );
});
function close() {
  for (const conversation of open.values()) conversation.close();
  for (const child of children) child.kill("SIGKILL");
  process.exit(0);
}
process.on("SIGTERM", close);
process.on("disconnect", close);
process.send({});
