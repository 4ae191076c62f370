import { LIMITS, type Approval, type Decision } from "../../protocol/index.ts";
import { showPreview } from "../show/preview.ts";
import { visible } from "../terminal/visible.ts";
import { countdown } from "../terminal/words.ts";
import { readAnswer, type Answer } from "./answer.ts";
import type { Asking } from "./asking.ts";
import { editableText, previewEdited } from "./edited.ts";
import { askQuestions } from "./questions.ts";

interface Placed {
  readonly approval: Approval;
  /** How many more wait behind this one. */
  readonly behind: number;
}

const HELP = [
  "y            run it once, exactly as shown",
  "a            run it, and let calls like it run in this session without asking; shows the exact rule first",
  "e            change it in $EDITOR (the file's text, the command), see the new diff, and be asked again",
  "E            the same for the whole input as JSON",
  "n [reason]   do not run it; the agent reads the reason and goes on",
  "s [reason]   do not run it and stop the turn",
  "v            show all of it",
];

/** Asks a person about one tool call. Undefined: the question was withdrawn, or nobody can answer. */
export async function askDecision(placed: Placed, asking: Asking, signal: AbortSignal): Promise<Decision | undefined> {
  const { approval } = placed;
  asking.screen.aside("");
  for (const line of heading(placed, asking)) asking.screen.aside(line);
  if (approval.preview.type === "question") return askQuestions(approval, approval.preview.questions, asking, signal);
  return new Dialog(approval, asking, signal).run();
}

function heading({ approval, behind }: Placed, { screen, now }: Asking): readonly string[] {
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
  readonly #asking: Asking;
  readonly #signal: AbortSignal;
  /** The input as the person changed it; absent: as the agent wants it. */
  #edited: Record<string, unknown> | undefined;

  constructor(approval: Approval, asking: Asking, signal: AbortSignal) {
    this.#approval = approval;
    this.#asking = asking;
    this.#signal = signal;
  }

  async run(): Promise<Decision | undefined> {
    this.#show(LIMITS.terminalDiffLines);
    for (;;) {
      const line = await this.#line(this.#prompt());
      if (line === undefined) return undefined;
      const decision = await this.#take(readAnswer(line));
      if (decision !== "ask again") return decision;
    }
  }

  async #take(answer: Answer): Promise<Decision | undefined | "ask again"> {
    const { input_hash } = this.#approval;
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
        return { decision: "reject", input_hash, ...feedback(answer.reason), interrupt: true };
      case "view":
        this.#show(Infinity);
        return "ask again";
      case "help":
        for (const line of HELP) this.#asking.screen.aside(`  ${line}`);
        return "ask again";
      case "unknown":
        this.#asking.screen.aside("type y, a, e, n, s or v, and ? for what they mean");
        return "ask again";
    }
  }

  async #forSession(): Promise<Decision | undefined | "ask again"> {
    const { session_rule, input_hash } = this.#approval;
    const { screen } = this.#asking;
    if (this.#edited !== undefined || session_rule === undefined) {
      const why =
        session_rule === undefined
          ? "no rule can be shown safely for this call"
          : "the rule would be for the call before your changes";
      screen.aside(`${why}: y runs it once`);
      return "ask again";
    }
    screen.aside(`This rule would hold until the session ends: ${screen.paint.bold(visible(session_rule))}`);
    const line = await this.#line("Add it and run this call? y/n › ");
    if (line === undefined) return undefined;
    return readAnswer(line).key === "yes" ? { decision: "approve", input_hash, scope: "session" } : "ask again";
  }

  async #edit(key: "edit" | "edit_json"): Promise<void> {
    const { keyboard, screen, edit } = this.#asking;
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
      this.#show(LIMITS.terminalDiffLines);
    } catch (error) {
      screen.aside(screen.paint.red(`not taken: ${error instanceof Error ? error.message : "the editor failed"}`));
    }
  }

  #show(mostLines: number): void {
    const { screen } = this.#asking;
    const shown = this.#edited === undefined ? this.#approval : previewEdited(this.#approval, this.#edited);
    if (this.#edited !== undefined) screen.aside(screen.paint.yellow("With your changes:"));
    for (const line of showPreview(shown, { paint: screen.paint, mostLines })) screen.aside(`  ${line}`);
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

/** What a rejection carries of what was typed. */
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

/** Editors end a text with a newline; where there was none before, it is not the person's. */
function kept(before: string, after: string): string {
  return before.endsWith("\n") || !after.endsWith("\n") ? after : after.slice(0, -1);
}
