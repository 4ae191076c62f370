import { runtimeClient, sessionTools } from "../claude-code/claude-runtime-client.ts";
import { hear, play } from "./model.ts";
import { category, expectEqual, expectRejected } from "./registry.ts";

/** They want the container, with the scripted model. */
export function registerClientTests(): void {
  category("Claude runtime: client", (test) => {
    test("connect", async () => {
      const client = runtimeClient();
      client.disconnect();
      expectEqual(client.connected, false);
      await Promise.all([client.connect(), client.connect()]);
      expectEqual(client.connected, true);
      expectEqual(runtimeClient() === client, true);
    });

    test("a message and its answer", async () => {
      const client = runtimeClient();
      await client.connect();
      const sessionId = crypto.randomUUID();
      const heard = hear(client, sessionId);
      client.send(sessionId, play({ say: "one two three" }));
      const { chunks, final } = await heard;
      expectEqual([chunks.join(""), final.content, final.num_turns], ["one two three", "one two three", 1]);
    });

    test("a tool of the page is run there and its result goes back", async () => {
      const client = runtimeClient();
      await client.connect();
      const sessionId = crypto.randomUUID();
      const calls: unknown[] = [];
      sessionTools.set(sessionId, {
        execute: ({ tool, args }) => {
          calls.push({ tool, args });
          return "Added viewer with ID: viewer-1";
        },
      });
      const heard = hear(client, sessionId);
      const args = { viewerType: "Histogram", viewerProperties: { valueColumnName: "AGE" } };
      client.send(sessionId, play({ tool: "add_viewer", input: args }, { say: "It is there." }), {
        viewType: "TableView",
      });
      const { steps, final } = await heard;
      expectEqual(calls, [{ tool: "add_viewer", args }]);
      expectEqual([steps[0], steps.includes("add_viewer completed")], ["add_viewer running", true]);
      expectEqual(final.content, "It is there.");
    });

    test("a call goes to the view whose conversation it is for", async () => {
      const client = runtimeClient();
      await client.connect();
      const answers = await Promise.all(
        ["one", "two"].map(async (name) => {
          const sessionId = `${name}-${crypto.randomUUID()}`;
          const calls: string[] = [];
          sessionTools.set(sessionId, { execute: ({ tool }) => (calls.push(`${name} ${tool}`), name) });
          const heard = hear(client, sessionId);
          client.send(sessionId, play({ tool: "list_current_viewers", input: {} }, { say: name }), {
            viewType: "TableView",
          });
          return [(await heard).final.content].concat(calls);
        }),
      );
      expectEqual(answers, [
        ["one", "one list_current_viewers"],
        ["two", "two list_current_viewers"],
      ]);
    });

    test("a view that is closed answers that it is", async () => {
      const closed = await sessionTools.execute({ callId: "1", tool: "add_viewer", args: {}, sessionId: "gone" });
      expectEqual(closed, "Error: the view of this conversation is closed");
    });

    test("after a loss it connects again, and the conversation goes on", async () => {
      const client = runtimeClient();
      await client.connect();
      const sessionId = crypto.randomUUID();
      const first = hear(client, sessionId);
      client.send(sessionId, play({ say: "before" }));
      await first;
      client.disconnect();
      await expectRejected(
        Promise.resolve().then(() => client.send(sessionId, "x")),
        "not connected",
      );
      await client.connect();
      const second = hear(client, sessionId);
      client.send(sessionId, play({ say: "after" }));
      expectEqual((await second).final.content, "after");
    });

    test("a new chat begins another conversation", async () => {
      const client = runtimeClient();
      await client.connect();
      const sessionId = crypto.randomUUID();
      const first = hear(client, sessionId);
      client.send(sessionId, play({ say: "one" }));
      await first;
      const reset = new Promise((resolve) => {
        const subscription = client.onMessage.subscribe((message) => {
          if (message["type"] !== "session_reset" || message["sessionId"] !== sessionId) return;
          subscription.unsubscribe();
          resolve(message["type"]);
        });
      });
      client.newChat(sessionId);
      expectEqual(await reset, "session_reset");
    });

    test("what the server refuses is an error of that conversation", async () => {
      const client = runtimeClient();
      await client.connect();
      const sessionId = crypto.randomUUID();
      const heard = hear(client, sessionId);
      client.send(sessionId, "");
      await expectRejected(heard, "Empty message");
    });
  });
}
