import { LIMITS, type Approval, type Decision } from "../../protocol/index.ts";
import { isCut, showPreview, type PreviewText } from "../show/preview.ts";
import { visible } from "../terminal/visible.ts";
import { countdown } from "../terminal/words.ts";
import { readAnswer, type TypedAnswer } from "./answer.ts";
import type { AskContext } from "./asking.ts";
import { editableText, previewEdited } from "./edited.ts";
import { showPages } from "./pages.ts";
import { askQuestions } from "./questions.ts";
import { askReview } from "./review.ts";

interface QueuedApproval {
  readonly approval: Approval;
  /** How many more wait behind this one. */
  readonly behind: number;
}

const HELP = [
  "y            run it once, exactly as shown",
  "a            run it, and let this call run in this session without asking; shows the exact rule first",
  "e            change it in $EDITOR (the file's text, the command), see the new diff, and be asked again",
  "E            the same for the whole input as JSON",
  "n [reason]   do not run it; the agent reads the reason and goes on",
  "s [reason]   do not run it and stop the turn; queued prompts then wait for sessions resume",
  "v            show all of it, page by page; what was not shown cannot be approved",
];

/** Asks a person about one tool call. Undefined: the question was withdrawn, or nobody can answer. */
export async function askDecision(
  placed: QueuedApproval,
  asking: AskContext,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const { approval } = placed;
  asking.screen.aside("");
  for (const line of heading(placed, asking)) asking.screen.aside(line);
  if (approval.preview.type === "question") return askQuestions(approval, approval.preview.questions, asking, signal);
  if (approval.preview.type === "changes") return askReview(approval, approval.preview, { asking, signal });
  return new Dialog(approval, asking, signal).run();
}

function heading({ approval, behind }: QueuedApproval, { screen, now }: AskContext): readonly string[] {
  const { paint } = screen;
  const expiry =
    approval.expires_at === undefined
      ? "waits until somebody answers"
      : `${countdown(Date.parse(approval.expires_at) - now())} left`;
  const more = behind === 0 ? "" : `, ${behind} more ${behind === 1 ? "waits" : "wait"} behind it`;
  return [
    `${paint.yellow("?")} ${paint.bold(`${visible(approval.tool)} wants your yes`)} ${paint.dim(`${approval.id} · ${expiry}${more}`)}`,
    paint.dim(`  ${visible(approval.reason)}`),
  ];
}

class Dialog {
  readonly #approval: Approval;
  readonly #asking: AskContext;
  readonly #signal: AbortSignal;
  /** The input as the person changed it; absent: as the agent wants it. */
  #edited: Record<string, unknown> | undefined;
  /** All of it was shown: nothing else can be approved here. */
  #isSeen = false;

  constructor(approval: Approval, asking: AskContext, signal: AbortSignal) {
    this.#approval = approval;
    this.#asking = asking;
    this.#signal = signal;
  }

  async run(): Promise<Decision | undefined> {
    this.#show();
    for (;;) {
      const line = await this.#line(this.#prompt());
      if (line === undefined) return undefined;
      const decision = await this.#take(readAnswer(line));
      if (decision !== "ask again") return decision;
    }
  }

  async #take(answer: TypedAnswer): Promise<Decision | undefined | "ask again"> {
    const { input_hash } = this.#approval;
    const objection = answer.key === "yes" || answer.key === "session" ? this.#objection() : undefined;
    if (objection !== undefined) {
      this.#asking.screen.aside(objection);
      return "ask again";
    }
    switch (answer.key) {
      case "yes":
        return {
          decision: "approve",
          input_hash,
          ...(this.#edited === undefined ? { scope: "once" } : { updated_input: this.#edited }),
        };
      case "session":
        return this.#forSession();
      case "edit":
      case "edit_json":
        await this.#edit(answer.key);
        return "ask again";
      case "no": {
        const reason = answer.reason === "" ? await this.#line("Reason (empty for none) › ") : answer.reason;
        return reason === undefined ? undefined : { decision: "reject", input_hash, ...feedback(reason) };
      }
      case "stop":
        return { decision: "reject", input_hash, ...feedback(answer.reason), interrupt: true, hold_queue: true };
      case "view":
        this.#isSeen = (await this.#showAll()) || this.#isSeen;
        return "ask again";
      case "help":
        for (const line of HELP) this.#asking.screen.aside(`  ${line}`);
        return "ask again";
      case "unknown":
        this.#asking.screen.aside("type y, a, e, n, s or v, and ? for what they mean");
        return "ask again";
    }
  }

  /** Why an approval is not accepted now. */
  #objection(): string | undefined {
    const { not_approvable } = this.#approval;
    if (not_approvable !== undefined && this.#edited === undefined) return visible(not_approvable);
    return this.#isSeen ? undefined : "this is not all of it: v shows the rest, and then you can say yes";
  }

  async #forSession(): Promise<Decision | undefined | "ask again"> {
    const { session_rule, broader_rule, input_hash } = this.#approval;
    const { screen } = this.#asking;
    if (this.#edited !== undefined || (session_rule === undefined && broader_rule === undefined)) {
      const why =
        this.#edited === undefined
          ? "no rule can be shown safely for this call"
          : "the rule would be for the call before your changes";
      screen.aside(`${why}: y runs it once`);
      return "ask again";
    }
    const { paint } = screen;
    // Broader than this call, and narrower than every call of the tool.
    const between =
      this.#approval.session_rules?.filter(({ rule }) => rule !== session_rule && rule !== broader_rule) ?? [];
    if (session_rule !== undefined)
      screen.aside(`y adds this rule until the session ends: ${paint.bold(visible(session_rule))}`);
    for (const [index, { rule, allows }] of between.entries()) {
      screen.aside(`${index + 1} adds a broader rule: ${paint.bold(visible(rule))}`);
      screen.aside(paint.dim(`  ${visible(allows)}`));
    }
    if (broader_rule !== undefined)
      screen.aside(`b adds the rule for every call of the tool: ${paint.bold(visible(broader_rule))}`);
    const keys = [
      ...(session_rule === undefined ? [] : ["y"]),
      ...between.map((_rule, index) => String(index + 1)),
      ...(broader_rule === undefined ? [] : ["b"]),
      "n",
    ].join("/");
    const line = await this.#line(`Add it and run this call? ${keys} › `);
    if (line === undefined) return undefined;
    const typed = line.trim().toLowerCase();
    const picked = typed === "b" ? broader_rule : between.find((_rule, index) => typed === String(index + 1))?.rule;
    if (picked !== undefined) return { decision: "approve", input_hash, scope: "session", rule: picked };
    if (session_rule === undefined || readAnswer(line).key !== "yes") return "ask again";
    return { decision: "approve", input_hash, scope: "session" };
  }

  async #edit(key: "edit" | "edit_json"): Promise<void> {
    const { keyboard, screen, edit } = this.#asking;
    if (this.#approval.preview.type === "network") {
      screen.aside("the host cannot be changed: y for this turn, a for the session, or n");
      return;
    }
    const input = this.#edited ?? this.#approval.input;
    const main = key === "edit" ? editableText(this.#approval.tool, input) : undefined;
    const json = JSON.stringify(input, undefined, 2);
    try {
      const text = await keyboard.lend(() => edit(main?.text ?? `${json}\n`, main?.name ?? "input.json"));
      const changed = main === undefined ? objectOf(text) : { ...input, [main.field]: kept(main.text, text) };
      if (JSON.stringify(changed) === JSON.stringify(input)) {
        screen.aside("nothing was changed");
        return;
      }
      this.#edited = changed;
      this.#show();
    } catch (error) {
      screen.aside(screen.paint.red(`not taken: ${error instanceof Error ? error.message : "the editor failed"}`));
    }
  }

  #shown(): PreviewText {
    return this.#edited === undefined ? this.#approval : previewEdited(this.#approval, this.#edited);
  }

  #show(): void {
    const { screen } = this.#asking;
    const options = { paint: screen.paint, mostLines: LIMITS.terminalDiffLines };
    if (this.#edited !== undefined) screen.aside(screen.paint.yellow("With your changes:"));
    for (const line of showPreview(this.#shown(), options)) screen.aside(`  ${line}`);
    this.#isSeen = !isCut(this.#shown(), options);
  }

  /** Page by page; whether the end was reached. */
  async #showAll(): Promise<boolean> {
    const { screen } = this.#asking;
    const lines = showPreview(this.#shown(), { paint: screen.paint, mostLines: Infinity });
    if (this.#edited !== undefined) screen.aside(screen.paint.yellow("With your changes:"));
    return showPages(lines, { screen, line: (prompt) => this.#line(prompt) });
  }

  #prompt(): string {
    const { paint } = this.#asking.screen;
    const edited = this.#edited === undefined ? "" : " as you changed it";
    return `${paint.bold(`Run it${edited}?`)} ${paint.dim("y once · a session · e edit · n no · s stop · ? help")} › `;
  }

  #line(prompt: string): Promise<string | undefined> {
    return this.#asking.keyboard.ask(prompt, this.#signal);
  }
}

/** The typed reason of a rejection. */
function feedback(reason: string): { readonly feedback?: string } {
  const text = reason.trim().slice(0, LIMITS.feedbackChars);
  return text === "" ? {} : { feedback: text };
}

function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the input must be a JSON object");
  return value as Record<string, unknown>;
}

/** Editors end a text with a newline; if there was none before, it is removed. */
function kept(before: string, after: string): string {
  return before.endsWith("\n") || !after.endsWith("\n") ? after : after.slice(0, -1);
}
