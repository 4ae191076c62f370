import * as DG from "datagrok-api/dg";
import * as grok from "datagrok-api/grok";
import type { ClaudeRuntimeClient, RuntimeClientContext } from "sallyport/client/runtime";
import { toolWords } from "sallyport/contexts";
import { runtimeClient, sessionTools, wordsOf } from "./claude-runtime-client.ts";
import { ClaudeAIPanel, type ChatSession } from "./claude-ai-panel.ts";
import { BrowserToolExecutor } from "./tool-registry.ts";

/** What is told of a table with a message; a table with thousands of columns is cut. */
const DESCRIPTION_CHARS = 20_000;
const DOCK_RATIO = 0.25;
/** How the client words the end of an answer that was stopped. */
const ABORTED = "aborted";

/** One prompt on its way. */
interface Turn {
  readonly chat: ChatSession;
  /** Ends the listening; asked twice it is once. */
  end(): void;
}

/** The panel of one table view, and its conversation. */
export class ViewChat {
  readonly view: DG.TableView;
  readonly panel = new ClaudeAIPanel();
  #sessionId: string = crypto.randomUUID();
  #turn: Turn | undefined;
  #executor: { readonly connectionId: string | null; readonly tools: BrowserToolExecutor } | undefined;
  #isWanted = false;
  #isDocked = false;

  constructor(view: DG.TableView) {
    this.view = view;
    this.panel.onRunRequest.subscribe((prompt) => void this.run(prompt));
    this.panel.onStopRequest.subscribe(() => this.stop());
    this.panel.onClearChatRequest.subscribe(() => this.newChat());
    this.panel.onFeedback.subscribe((rating) => {
      grok.log.usage("claude-feedback", { rating, sessionId: this.#sessionId });
      grok.shell.info("Thanks for your feedback!");
    });
  }

  /** The conversation's name for the server. */
  get sessionId(): string {
    return this.#sessionId;
  }

  get isShown(): boolean {
    return this.#isDocked;
  }

  toggle(): void {
    this.#isWanted = !this.#isDocked;
    this.follow(true);
    if (this.#isDocked) this.panel.focus();
  }

  /** Its view is, or is not, the one that is looked at: the panel comes and goes with it. */
  follow(isCurrent: boolean): void {
    const isDocked = isCurrent && this.#isWanted;
    if (isDocked === this.#isDocked) return;
    this.#isDocked = isDocked;
    if (isDocked) grok.shell.dockManager.dock(this.panel.root, DG.DOCK_TYPE.RIGHT, null, "Claude", DOCK_RATIO);
    else grok.shell.dockManager.close(this.panel.root);
  }

  /** The person closed the pane. */
  closed(): void {
    this.#isDocked = false;
    this.#isWanted = false;
  }

  /** Asks Claude. Resolves when the answer is whole, or what went wrong is shown. */
  async run(prompt: string): Promise<void> {
    if (this.#turn !== undefined) return;
    const client = runtimeClient();
    const chat = this.panel.startChatSession();
    chat.session.addUserMessage(prompt);
    await new Promise<void>((resolve) => {
      const turn: Turn = { chat, end: once(() => (this.#end(turn), resolve())) };
      this.#turn = turn;
      client.connect().then(
        () => this.#turn === turn && this.#send(client, turn, prompt),
        (error: unknown) => this.#turn === turn && this.#fail(turn, wordsOf(error)),
      );
    });
  }

  stop(): void {
    const client = runtimeClient();
    if (client.connected && this.#turn !== undefined) client.abort(this.#sessionId);
    else this.#turn?.end();
  }

  /** The server forgets the conversation; the next prompt begins another one. */
  newChat(): void {
    const client = runtimeClient();
    if (client.connected) client.newChat(this.#sessionId);
    this.#turn?.end();
    sessionTools.delete(this.#sessionId);
    this.#sessionId = crypto.randomUUID();
    this.panel.clear();
  }

  /** The view is gone. */
  dispose(): void {
    const client = runtimeClient();
    if (client.connected && this.#turn !== undefined) client.abort(this.#sessionId);
    this.#turn?.end();
    sessionTools.delete(this.#sessionId);
    if (this.#isDocked) grok.shell.dockManager.close(this.panel.root);
    this.closed();
    this.panel.dispose();
  }

  #send(client: ClaudeRuntimeClient, turn: Turn, prompt: string): void {
    const { tools, context } = this.#context();
    sessionTools.set(this.#sessionId, tools);
    this.#listen(client, turn);
    try {
      client.send(this.#sessionId, prompt, context);
    } catch (error) {
      this.#fail(turn, wordsOf(error));
    }
  }

  #listen(client: ClaudeRuntimeClient, turn: Turn): void {
    const { session } = turn.chat;
    const sessionId = this.#sessionId;
    const isMine = (message: { readonly sessionId?: unknown }): boolean => message.sessionId === sessionId;
    const steps = new Steps();
    // Who wants less motion gets the answer when it is whole; until then the panel says that one is on its way.
    const isWhole = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let text = "";
    const subscriptions = [
      client.onChunk.subscribe((chunk) => {
        if (!isMine(chunk)) return;
        text += chunk.content;
        if (!isWhole) session.updateLastAIMessage(text);
      }),
      client.onMessage.subscribe((message) => {
        if (!isMine(message)) return;
        // The model's answer broke off and is said again from here.
        if (message["type"] === "revision_start") text = String(message["content"]);
        const question = questionStep(message);
        if (question !== undefined) session.showStep(question.key, question.words, question.state);
      }),
      client.onToolUse.subscribe((use) => {
        if (!isMine(use)) return;
        const { key, state } = steps.of(use.tool, use.status);
        session.showStep(key, toolWords(use.tool, use.input), state);
      }),
      client.onFinal.subscribe({
        next: (final) => {
          if (!isMine(final)) return;
          session.updateLastAIMessage(final.content, { finalResult: true });
          turn.end();
        },
        complete: () => this.#fail(turn, "Connection to Claude runtime lost"),
      }),
      client.onError.subscribe((error) => {
        if (!isMine(error)) return;
        if (error.message === ABORTED) turn.end();
        else this.#fail(turn, error.message);
      }),
    ];
    this.#unsubscribe = () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    };
  }

  #unsubscribe: () => void = () => undefined;

  #fail(turn: Turn, words: string): void {
    if (this.#turn !== turn) return;
    turn.chat.session.addError(words);
    grok.shell.error(words);
    turn.end();
  }

  #end(turn: Turn): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#unsubscribe();
    turn.chat.endSession();
  }

  /** What the view shows now: its table, and the connection that the table came from. */
  #context(): { readonly tools: BrowserToolExecutor; readonly context: RuntimeClientContext } {
    const connectionId = this.view.dataFrame.getTag(DG.Tags.DataConnectionId) || null;
    if (this.#executor === undefined || this.#executor.connectionId !== connectionId)
      this.#executor = { connectionId, tools: new BrowserToolExecutor(this.view, connectionId) };
    const { tools } = this.#executor;
    const table = tools.tableView?.getTableDescription().slice(0, DESCRIPTION_CHARS) ?? "";
    const context = { viewType: DG.VIEW_TYPE.TABLE_VIEW, metadata: { table } };
    return { tools, context: connectionId === null ? context : { ...context, connectionId } };
  }
}

/** A call that waits for somebody who may approve it, and how that ended. The person here is told, and does not decide. */
function questionStep(
  message: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly words: string; readonly state: "running" | "completed" | "failed" } | undefined {
  const key = `question ${String(message["requestId"])}`;
  if (message["type"] === "approval_request")
    return { key, words: `Waiting for approval of ${String(message["toolName"])}…`, state: "running" };
  if (message["type"] !== "approval_resolved") return undefined;
  const status = String(message["status"]);
  return { key, words: `Approval: ${status}`, state: status === "approved" ? "completed" : "failed" };
}

/** The server tells of a tool when it begins and when it ends, and the client once more when the page is done with it. */
class Steps {
  #begun = 0;
  readonly #open: { readonly tool: string; readonly key: string }[] = [];
  readonly #last = new Map<string, string>();

  of(tool: string, status: string): { readonly key: string; readonly state: "running" | "completed" | "failed" } {
    if (status === "running") {
      const key = String((this.#begun += 1));
      this.#open.push({ tool, key });
      this.#last.set(tool, key);
      return { key, state: "running" };
    }
    const index = this.#open.findIndex((step) => step.tool === tool);
    const [ended] = index === -1 ? [] : this.#open.splice(index, 1);
    const key = ended?.key ?? this.#last.get(tool) ?? String((this.#begun += 1));
    return { key, state: status === "failed" ? "failed" : "completed" };
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
