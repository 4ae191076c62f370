import { readFile } from "node:fs/promises";

/**
 * What a careful script would do without us: two streamed calls, the tool between them. `before`: awaited ahead of each
 * call; absent: nothing is kept.
 */
export async function byHand(url, { prompt, tools, before = async () => undefined }) {
  const messages = [{ role: "user", content: prompt }];
  for (;;) {
    await before();
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "bench", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: "sim",
        max_tokens: 8192,
        stream: true,
        system: "You are a careful assistant.",
        tools,
        messages,
      }),
    });
    const blocks = await readMessage(response.body);
    messages.push({ role: "assistant", content: blocks });
    const uses = blocks.filter(({ type }) => type === "tool_use");
    if (uses.length === 0) return;
    const results = await Promise.all(
      uses.map(async ({ id, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: await readFile(input.file_path, "utf8"),
      })),
    );
    messages.push({ role: "user", content: results });
  }
}

async function readMessage(body) {
  const blocks = [];
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const line = rest
        .slice(0, end)
        .split("\n")
        .find((text) => text.startsWith("data: "));
      rest = rest.slice(end + 2);
      if (line === undefined) continue;
      const event = JSON.parse(line.slice(6));
      if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
      if (event.type !== "content_block_delta") continue;
      if (event.delta.type === "text_delta") blocks[event.index].text += event.delta.text;
      if (event.delta.type === "input_json_delta") blocks[event.index].json += event.delta.partial_json;
    }
  }
  for (const block of blocks) {
    if (block.type === "tool_use") block.input = JSON.parse(block.json || "{}");
    delete block.json;
  }
  return blocks;
}
