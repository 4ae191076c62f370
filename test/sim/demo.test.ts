import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readIntents, type Intent } from "../../src/sim/intents.ts";
import { after, Client, TOOLS, type Block, type Sent } from "./world.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

const INTRO = "This is Sallyport's demo model: scripted, no real AI. Set ANTHROPIC_API_KEY for a real one.";

const INTENTS: readonly { readonly asks: string; readonly intents: readonly Intent[] }[] = [
  {
    asks: "Create a file hello.txt with content Hello, world!",
    intents: [{ want: "create", path: "hello.txt", content: "Hello, world!\n" }],
  },
  {
    asks: 'please create a new file called `notes.md` containing "one two"',
    intents: [{ want: "create", path: "notes.md", content: "one two\n" }],
  },
  {
    asks: "write hello world to hello.txt",
    intents: [{ want: "create", path: "hello.txt", content: "hello world\n" }],
  },
  {
    asks: "Could you make a file src/a.js that says:\n```js\nlet a = 1;\nlet b = 2;\n```",
    intents: [{ want: "create", path: "src/a.js", content: "let a = 1;\nlet b = 2;\n" }],
  },
  { asks: "create a file empty.txt", intents: [{ want: "create", path: "empty.txt", content: "" }] },
  { asks: "Read hello.txt", intents: [{ want: "read", path: "hello.txt" }] },
  { asks: "show me the contents of README", intents: [{ want: "read", path: "README" }] },
  { asks: "what is in src/a.js?", intents: [{ want: "read", path: "src/a.js" }] },
  { asks: "explain src/a.js to me please", intents: [{ want: "read", path: "src/a.js" }] },
  {
    asks: "Replace Hello with Goodbye in hello.txt.",
    intents: [{ want: "replace", path: "hello.txt", from: "Hello", to: "Goodbye" }],
  },
  {
    asks: 'change "old text" to "new text" in the file a.txt',
    intents: [{ want: "replace", path: "a.txt", from: "old text", to: "new text" }],
  },
  {
    asks: "in a.txt, replace foo by bar baz",
    intents: [{ want: "replace", path: "a.txt", from: "foo", to: "bar baz" }],
  },
  { asks: "List the files", intents: [{ want: "list", pattern: "**/*" }] },
  { asks: "list all files in src", intents: [{ want: "list", pattern: "**/*", path: "src" }] },
  { asks: "What files are here?", intents: [{ want: "list", pattern: "**/*" }] },
  { asks: "what is this project about?", intents: [{ want: "list", pattern: "**/*" }] },
  { asks: "find all *.ts files", intents: [{ want: "list", pattern: "**/*.ts" }] },
  { asks: "find files named package.json", intents: [{ want: "list", pattern: "**/package.json" }] },
  { asks: "show me all markdown files", intents: [{ want: "list", pattern: "**/*.md" }] },
  { asks: "Search for TODO", intents: [{ want: "search", text: "TODO" }] },
  { asks: "find the text `a.b(c)` in src/", intents: [{ want: "search", text: "a.b(c)", path: "src/" }] },
  { asks: "where is main defined?", intents: [{ want: "search", text: "main" }] },
  { asks: "run npm test", intents: [{ want: "run", command: "npm test" }] },
  { asks: "run: ls -la", intents: [{ want: "run", command: "ls -la" }] },
  { asks: "please run the command `echo hi; echo ho`", intents: [{ want: "run", command: "echo hi; echo ho" }] },
  { asks: "run the tests", intents: [{ want: "run", command: "npm test" }] },
  {
    asks: "make a todo list: write it, test it and ship it",
    intents: [{ want: "todo", items: ["write it", "test it", "ship it"] }],
  },
  { asks: "what can you do?", intents: [{ want: "help" }] },
  { asks: "hello", intents: [{ want: "help" }] },
  {
    asks: "Create a.txt with content one, then run cat a.txt and then read it.",
    intents: [
      { want: "create", path: "a.txt", content: "one\n" },
      { want: "run", command: "cat a.txt" },
      { want: "read", path: "a.txt" },
    ],
  },
  { asks: "compose a symphony", intents: [] },
  { asks: " ".repeat(25_000), intents: [] },
  { asks: `replace ${"a with ".repeat(3_000)}`, intents: [] },
];

describe("the demo", () => {
  test.each(INTENTS)("understands: $asks", ({ asks, intents }) => {
    expect(readIntents(asks)).toEqual(intents);
  });

  /** Plays a conversation with a workspace in memory. Gives the calls and the last words. */
  async function converse(
    prompt: string,
    files: Map<string, string>,
    more: object = {},
  ): Promise<{ readonly calls: readonly unknown[]; readonly words: string | undefined }> {
    let messages: readonly Sent[] = [{ role: "user", content: prompt }];
    const calls: unknown[] = [];
    for (;;) {
      const answer = await client.ask(messages, {
        system: "You are an agent.\nWorking directory: /w\n",
        tools: TOOLS,
        ...more,
      });
      const call = answer.content.find((block) => block.type === "tool_use");
      if (call === undefined) return { calls, words: answer.content[0]?.text };
      calls.push([call.name, call.input]);
      messages = after(messages, answer, [work(call, files)]);
    }
  }

  function work(call: Block, files: Map<string, string>): string | { readonly error: string } {
    const input = call.input ?? {};
    const path = String(input["file_path"]);
    switch (call.name) {
      case "Write":
        files.set(path, String(input["content"]));
        return `Wrote ${path}`;
      case "Read":
        return files.get(path) ?? { error: `File does not exist: ${path}` };
      case "Edit":
        files.set(path, (files.get(path) ?? "").replaceAll(String(input["old_string"]), String(input["new_string"])));
        return "Replaced";
      case "Glob":
        return [...files.keys()].join("\n");
      case "Bash":
        return { error: "User rejected: use Read instead" };
      default:
        return "ok";
    }
  }

  test("writes, reads, edits and lists", async () => {
    const files = new Map<string, string>();
    const write = { file_path: "/w/hello.txt", content: "Hello world\n" };
    expect(await converse("Create a file hello.txt with content Hello world", files)).toEqual({
      calls: [["Write", write]],
      words: `${INTRO} I wrote /w/hello.txt (12 characters).`,
    });
    expect(await converse("Replace Hello with Goodbye in hello.txt", files)).toEqual({
      calls: [
        ["Read", { file_path: "/w/hello.txt" }],
        ["Edit", { file_path: "/w/hello.txt", old_string: "Hello", new_string: "Goodbye", replace_all: true }],
      ],
      words: `${INTRO} I replaced "Hello" with "Goodbye" in /w/hello.txt.`,
    });
    expect([...files]).toEqual([["/w/hello.txt", "Goodbye world\n"]]);
    expect(await converse("read hello.txt", files)).toEqual({
      calls: [["Read", { file_path: "/w/hello.txt" }]],
      words: `${INTRO} This is /w/hello.txt:\n\n\`\`\`\nGoodbye world\n\`\`\`\n`,
    });
    expect((await converse("list the files", files)).words).toBe(
      `${INTRO} These are the files that I found:\n\n\`\`\`\n/w/hello.txt\n\`\`\`\n`,
    );
  });

  test("stops honestly", async () => {
    const files = new Map([["/w/a.txt", "something\n"]]);
    expect((await converse("read none.txt", files)).words).toBe(
      `${INTRO} Read did not work, so I stop here. It said: File does not exist: /w/none.txt`,
    );
    expect((await converse("replace Hello with Bye in a.txt", files)).words).toBe(
      `${INTRO} "Hello" is not in /w/a.txt, so I changed nothing.`,
    );
    expect(await converse("run rm -rf x, then read a.txt", files)).toEqual({
      calls: [["Bash", { command: "rm -rf x", description: "Run the requested command" }]],
      words: `${INTRO} You said no to Bash, so it was not run and I stop here. What you asked for instead: "use Read instead". Send that as a new request.`,
    });
    expect((await converse("run ls", files, { tools: [] })).words).toBe(
      `${INTRO} The tool Bash was not offered to me here, so I cannot do more.`,
    );
    expect((await converse("compose a symphony", files)).words).toContain(
      "Your request was none of these, so nothing was done.",
    );
  });

  test.each([
    ["as they are", ""],
    ["behind OpenCode's name of our server", "sallyport_"],
    ["behind that of Claude's program and of ACP agents", "mcp__sallyport__"],
  ])("finds tools %s", async (_name, server) => {
    const tools = TOOLS.map(({ name, input_schema }) => ({ name: `${server}${name}`, input_schema }));
    const { content } = await client.ask([{ role: "user", content: "list the files" }], { tools });
    expect(content.find(({ type }) => type === "tool_use")).toMatchObject({ name: `${server}Glob` });
  });

  test("summarises what was asked", async () => {
    const prompt = "Summarize the conversation below.\n> user: Make it so.\n> agent: Done.\n> user: Thanks.";
    expect((await converse(prompt, new Map())).words).toBe(
      `${INTRO} The person asked, in this order: "Make it so."; "Thanks.".`,
    );
  });

  test("says each word for itself", async () => {
    const slow = await Client.start({}, { demoDelayMs: 1 });
    const response = await slow.post({
      model: "sim",
      max_tokens: 1_000,
      stream: true,
      messages: [{ role: "user", content: "hello" }],
    });
    let chunks = 0;
    for await (const _ of response.body ?? []) chunks += 1;
    expect(chunks).toBeGreaterThan(20);
    await slow.server.close();
  });
});
