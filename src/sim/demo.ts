import { toolOutcomes, type PastToolCall } from "./conversation.ts";
import { readIntents, type Intent } from "./intents.ts";
import { SIM_LIMITS } from "./limits.ts";
import { readPagePlan } from "./page.ts";
import type { Fields, SimMessage, SimRequest, ModelReply } from "./wire.ts";

const INTRO = "This is Sallyport's demo model: scripted, no real AI. Set ANTHROPIC_API_KEY for a real one.";
const HELP = `${INTRO} I understand a few plain requests and use the real tools for them, so that you can see everything work:

- Create a file hello.txt with content Hello world
- Read hello.txt
- Replace Hello with Goodbye in hello.txt
- List the files
- Search for world
- Run ls -la > files.txt
- Create notes.md with content one, then run cat notes.md`;
const PAGE_HELP = `${INTRO} I understand a few plain requests and use the tools of this page for them, so that you can see everything work:

- Add a histogram for the Age column
- Add a scatter plot of height and weight
- Filter to AGE > 40
- Add a column BMI = WEIGHT / (HEIGHT / 100) ^ 2
- Show me tables in the public schema
- Try SQL: select count(*) from orders
- Which viewers are open?
- Highlight the Add viewer button
- Undo`;
const PAGE_TOOL = /^mcp__.+__(?:add_viewer|list_tables_in_schema)$/;
const REJECTED = /^User rejected(?: tool execution)?:\s*/;

/** One call of the plan. `needs`: what the previous result must contain for this call to make sense. */
interface PlannedCall {
  readonly tool: string;
  readonly input: Fields;
  readonly announce: string;
  readonly needs?: string | undefined;
}

/** The reply to a prompt without a script: the next tool call, or a summary of all results. */
export function demoReply(
  request: SimRequest,
  prompt: string,
  after: readonly SimMessage[],
): Omit<ModelReply, "wordMs"> {
  const page = pageReply(request, prompt, after);
  if (page !== undefined) return page;
  const intents = readIntents(prompt);
  const help = [...request.tools].some((tool) => PAGE_TOOL.test(tool)) ? PAGE_HELP : HELP;
  if (intents.length === 0) return say(`${help}\n\nYour request was none of these, so nothing was done.`);
  const outcomes = toolOutcomes(after);
  const failed = outcomes.find((outcome) => outcome.is_error);
  if (failed !== undefined) return say([INTRO, ...report(outcomes)].join(" "));
  const steps = intents.flatMap((intent) => stepsOf(intent, request));
  const next = steps[outcomes.length];
  if (next !== undefined && request.tools.has(next.tool)) {
    const before = outcomes.at(-1);
    if (next.needs !== undefined && before !== undefined && !before.text.includes(next.needs)) {
      return say(
        [
          INTRO,
          ...report(outcomes.slice(0, -1)),
          `"${next.needs}" is not in ${field(next.input, "file_path")}, so I changed nothing.`,
        ].join(" "),
      );
    }
    return {
      acts: [
        { do: "say", text: next.announce },
        { do: "tool", name: next.tool, input: next.input },
      ],
      stopReason: "tool_use",
      usage: {},
    };
  }
  const missing = next === undefined ? [] : [`The tool ${next.tool} was not offered to me here, so I cannot do more.`];
  const words = intents.flatMap((intent) => wordsOf(intent, prompt, help));
  return say([INTRO, ...report(outcomes), ...missing, ...words].join(" "));
}

/** The reply to a request for a page's tools; undefined if no page offers what it needs. */
function pageReply(
  request: SimRequest,
  prompt: string,
  after: readonly SimMessage[],
): Omit<ModelReply, "wordMs"> | undefined {
  const offered = (name: string): string | undefined =>
    [...request.tools].find((tool) => /^mcp__.+?__(.+)$/.exec(tool)?.[1] === name);
  const plan = readPagePlan(prompt);
  const begun = toolOutcomes(after);
  const missing = plan?.steps.slice(begun.length).some(({ tool }) => offered(tool) === undefined) ?? true;
  if (plan === undefined || (missing && begun.length === 0)) return undefined;
  const last = begun.at(-1);
  if (last !== undefined && (last.is_error || /^(?:SQL )?Error\b/.test(last.text)))
    return say(`${INTRO} ${problem(last)}`);
  const step = plan.steps[begun.length];
  const tool = step === undefined ? undefined : offered(step.tool);
  if (step === undefined || tool === undefined) {
    return say(`${INTRO} ${last === undefined ? "" : plan.words({ ...last, text: clip(last.text) })}`);
  }
  return {
    acts: [
      { do: "say", text: step.announce },
      { do: "tool", name: tool, input: step.input(begun) },
    ],
    stopReason: "tool_use",
    usage: {},
  };
}

function say(text: string): Omit<ModelReply, "wordMs"> {
  return { acts: [{ do: "say", text }], stopReason: "end_turn", usage: {} };
}

function stepsOf(intent: Intent, request: SimRequest): readonly PlannedCall[] {
  switch (intent.want) {
    case "create":
      return [
        {
          tool: "Write",
          input: { file_path: absolute(intent.path, request), content: intent.content },
          announce: `I will write ${intent.path}.`,
        },
      ];
    case "read":
      return [readStep(intent.path, request)];
    case "replace":
      return [
        readStep(intent.path, request),
        {
          tool: "Edit",
          input: {
            file_path: absolute(intent.path, request),
            old_string: intent.from,
            new_string: intent.to,
            replace_all: true,
          },
          announce: `Now I will replace "${intent.from}" with "${intent.to}".`,
          needs: intent.from,
        },
      ];
    case "list":
      return [
        {
          tool: "Glob",
          input: { pattern: intent.pattern, ...folder(intent.path, request) },
          announce: "I will look for files.",
        },
      ];
    case "search":
      return [
        {
          tool: "Grep",
          input: { pattern: literal(intent.text), output_mode: "content", "-n": true, ...folder(intent.path, request) },
          announce: `I will search for "${intent.text}".`,
        },
      ];
    case "run":
      return [
        {
          tool: "Bash",
          input: { command: intent.command, description: "Run the requested command" },
          announce: `I will run \`${intent.command}\`.`,
        },
      ];
    case "todo":
      return [{ tool: "TodoWrite", input: { todos: intent.items.map(todo) }, announce: "I will write the list." }];
    case "help":
    case "summary":
      return [];
  }
}

function readStep(path: string, request: SimRequest): PlannedCall {
  return { tool: "Read", input: { file_path: absolute(path, request) }, announce: `I will read ${path}.` };
}

function todo(content: string): Fields {
  return { content, status: "pending", activeForm: content };
}

function folder(path: string | undefined, request: SimRequest): Fields {
  return path === undefined ? {} : { path: absolute(path, request) };
}

/** The system prompts of coding agents name the folder they work in. */
function absolute(path: string, request: SimRequest): string {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return path;
  const workspace = /working directory[^:\n]*:\s*(\/[^\n]*)/i.exec(request.system)?.[1]?.trim();
  return workspace === undefined ? path : `${workspace.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function report(outcomes: readonly PastToolCall[]): readonly string[] {
  return (
    outcomes
      // A read that only prepared an edit is not mentioned.
      .filter(
        (outcome, index) => outcome.is_error || !(outcome.tool === "Read" && outcomes[index + 1]?.tool === "Edit"),
      )
      .map((outcome) => (outcome.is_error ? problem(outcome) : result(outcome)))
  );
}

function problem({ tool, text }: PastToolCall): string {
  if (REJECTED.test(text)) {
    const reason = text.replace(REJECTED, "").trim();
    const stopped = `You said no to ${tool}, so it was not run and I stop here.`;
    const silent = reason === "" || reason === "No reason provided";
    return silent ? stopped : `${stopped} What you asked for instead: "${clip(reason)}". Send that as a new request.`;
  }
  return `${tool} did not work, so I stop here. It said: ${clip(text)}`;
}

function result({ tool, input, text }: PastToolCall): string {
  const path = field(input, "file_path");
  switch (tool) {
    case "Write":
      return `I wrote ${path} (${field(input, "content").length} characters).`;
    case "Edit":
      return `I replaced "${field(input, "old_string")}" with "${field(input, "new_string")}" in ${path}.`;
    case "Read":
      return `This is ${path}:\n\n${fenced(text)}\n`;
    case "Glob":
      return `These are the files that I found:\n\n${fenced(text)}\n`;
    case "Grep":
      return `The search gave:\n\n${fenced(text)}\n`;
    case "Bash":
      return `The command \`${field(input, "command")}\` ended and said:\n\n${fenced(text)}\n`;
    default:
      return `${tool} ended and said: ${clip(text)}`;
  }
}

function wordsOf(intent: Intent, prompt: string, help: string): readonly string[] {
  if (intent.want === "help") return [help.slice(INTRO.length + 1)];
  if (intent.want !== "summary") return [];
  const asked = [...prompt.matchAll(/^> user: (.*)$/gm)].map((match) => `"${match[1] ?? ""}"`);
  return [`The person asked, in this order: ${clip(asked.join("; "))}.`];
}

function field(input: Fields, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function clip(text: string): string {
  return text.length <= SIM_LIMITS.demoQuoteChars ? text : `${text.slice(0, SIM_LIMITS.demoQuoteChars)} … (cut)`;
}

function fenced(text: string): string {
  return `\`\`\`\n${clip(text.trimEnd())}\n\`\`\``;
}
