import * as grok from "datagrok-api/grok";
import { ClaudeAIPanel } from "../claude-code/claude-ai-panel.ts";
import { setupClaudeAIPanelUI } from "../claude-code/claude-panel.ts";
import { runtimeClient } from "../claude-code/claude-runtime-client.ts";
import { ViewChat } from "../claude-code/view-chat.ts";
import { play } from "./model.ts";
import { category, expectEqual } from "./registry.ts";

const ANSWER = ".d4-ai-assistant-response-container";
/** How long the platform may take to show or hide a panel. */
const FRAMES = 120;
const ON = { settings: { claudeRuntimeEnabled: true } };

/** They want the container, with the scripted model, and a page. */
export function registerPanelTests(): void {
  category("Claude runtime: panel", (test) => {
    test("an answer streams into one element", async () => {
      const view = grok.shell.addTableView(grok.data.testData("demog", 100));
      const chat = new ViewChat(view);
      const texts: string[] = [];
      const counts = new Set<number>();
      const look = runtimeClient().onChunk.subscribe((chunk) => {
        if (chunk.sessionId !== chat.sessionId) return;
        counts.add(chat.panel.root.querySelectorAll(ANSWER).length);
        texts.push(chunk.content);
      });
      const words = "**Ages** are told <img src=x onerror=alert(1)> in many words: ";
      await chat.run(play({ say: words }, { stream: { tokens: 200, per_second: 1_000 } }));
      look.unsubscribe();
      const answers = chat.panel.root.querySelectorAll(ANSWER);
      expectEqual([answers.length, [...counts].every((count) => count <= 1)], [1, true]);
      expectEqual(texts.length > 1, true);
      expectEqual(answers[0]?.querySelector("strong")?.textContent, "Ages");
      expectEqual(answers[0]?.querySelector("img"), null);
      expectEqual(answers[0]?.querySelectorAll("button[aria-label$=answer]").length, 2);
      chat.dispose();
      view.close();
    });

    test("it adds a histogram, says so in words, and the answer comes after", async () => {
      const view = grok.shell.addTableView(grok.data.testData("demog", 100));
      const chat = new ViewChat(view);
      const input = { viewerType: "Histogram", viewerProperties: { valueColumnName: "AGE" } };
      await chat.run(play({ tool: "add_viewer", input }, { say: "The histogram shows AGE." }));
      expectEqual(view.viewers.at(-1)?.type, "Histogram");
      const steps = [...chat.panel.root.querySelectorAll(".sallyport-steps li")];
      expectEqual(
        steps.map((step) => [step.textContent, step.getAttribute("data-state")]),
        [["Adding Histogram viewer…", "completed"]],
      );
      expectEqual(chat.panel.root.querySelector(ANSWER)?.textContent.includes("The histogram shows AGE."), true);
      chat.dispose();
      view.close();
    });

    test("new chat: another conversation, an empty panel", async () => {
      const view = grok.shell.addTableView(grok.data.testData("demog", 100));
      const chat = new ViewChat(view);
      const before = chat.sessionId;
      await chat.run(play({ say: "one" }));
      chat.newChat();
      expectEqual([chat.sessionId === before, chat.panel.text], [false, ""]);
      await chat.run(play({ say: "two" }));
      expectEqual(chat.panel.root.querySelectorAll(ANSWER).length, 1);
      chat.dispose();
      view.close();
    });

    test("a panel for each table view, shown with its view, gone with it", async () => {
      const one = grok.shell.addTableView(grok.data.testData("demog", 10));
      const teardown = setupClaudeAIPanelUI(ON);
      const two = grok.shell.addTableView(grok.data.testData("demog", 10));
      const panels = (): number => document.querySelectorAll(".sallyport-panel").length;
      const press = (): boolean =>
        document.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyI", key: "i", ctrlKey: true, bubbles: true }));
      const until = async (count: number): Promise<void> => {
        for (let frame = 0; frame < FRAMES && panels() !== count; frame += 1)
          await new Promise((resolve) => requestAnimationFrame(resolve));
        expectEqual(panels(), count);
      };
      const steps: readonly (readonly [act: () => unknown, shown: number])[] = [
        [press, 1],
        [() => (grok.shell.v = one), 0],
        [press, 1],
        [() => (grok.shell.v = two), 1],
        [press, 0],
        [() => (grok.shell.v = one), 1],
        [() => one.close(), 0],
      ];
      await until(0);
      for (const [act, shown] of steps) {
        act();
        await until(shown);
      }
      teardown();
      two.close();
    });

    test("nothing is set up where it is not switched on", async () => {
      const view = grok.shell.addTableView(grok.data.testData("demog", 10));
      const ribbons = view.getRibbonPanels().length;
      setupClaudeAIPanelUI({ settings: { claudeRuntimeEnabled: false } })();
      setupClaudeAIPanelUI({ settings: null })();
      expectEqual(view.getRibbonPanels().length, ribbons);
      view.close();
    });

    test("Enter runs, the button stops, a rating is given once", async () => {
      const panel = new ClaudeAIPanel();
      const said: string[] = [];
      panel.onRunRequest.subscribe((prompt) => said.push(prompt));
      panel.onStopRequest.subscribe(() => said.push("stop"));
      panel.onFeedback.subscribe((rating) => said.push(rating));
      const input = panel.root.querySelector("textarea");
      const press = (more: object): void => {
        input?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
      };
      if (input !== null) input.value = " hello ";
      press({ ctrlKey: true });
      press({ shiftKey: true });
      expectEqual(said, []);
      press({});
      press({});
      expectEqual(said, ["hello"]);
      const { session, endSession } = panel.startChatSession();
      session.addUserMessage("hello");
      panel.root.querySelector<HTMLElement>("[aria-label='Stop AI Generation']")?.click();
      session.updateLastAIMessage("Hi.");
      session.updateLastAIMessage("Hi there.", { finalResult: true });
      endSession();
      panel.root.querySelector<HTMLElement>("[aria-label='Good answer']")?.click();
      panel.root.querySelector<HTMLElement>("[aria-label='Bad answer']")?.click();
      panel.root.querySelector<HTMLElement>("[aria-label='Try again']")?.click();
      expectEqual(said, ["hello", "stop", "up", "Please try again. hello"]);
      expectEqual(panel.text, `USER:\nhello\n${"-".repeat(50)}\nDatagrok AI:\nHi there.`);
      panel.dispose();
    });
  });
}
