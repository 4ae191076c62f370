import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { SallyportClient } from "../../client/index.ts";
import { Failure, type Approval, type Decision } from "../../protocol/index.ts";
import { readAnswer } from "../ask/answer.ts";
import { askDecision } from "../ask/dialog.ts";
import { previewEdited } from "../ask/edited.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { previewLine, showPreview } from "../show/preview.ts";
import { editorOf } from "../terminal/editor.ts";
import { Keyboard } from "../terminal/keyboard.ts";
import { visible } from "../terminal/visible.ts";
import { countdown } from "../terminal/words.ts";

interface ApproveOptions {
  readonly reject?: boolean;
  readonly feedback?: string;
  readonly session?: boolean;
  readonly stop?: boolean;
  readonly input?: string;
  readonly show?: boolean;
  readonly extend?: boolean;
  readonly again?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const HELP = `
Without an id: what waits for an answer. With one: its diff or command, and your answer. In a terminal you are asked;
--yes answers without asking, and so does a script that is not in a terminal.

Examples:
  $ sallyport approve
  $ sallyport approve apr_01jqk3v7w8x9y2z3a4b5c6
  $ sallyport approve apr_01jqk3v7w8x9y2z3a4b5c6 --reject --feedback "use the existing helper"`;

export function addApprove(program: Command, context: CommandContext): void {
  program
    .command("approve")
    .description("list the approvals that wait, and answer one")
    .argument("[approval]", "the approval's id")
    .option("--show", "show it and do nothing else")
    .option("--reject", "say no")
    .option("--feedback <words>", "with --reject: what the agent reads")
    .option("--stop", "with --reject: end the turn too; queued prompts then wait for sessions resume")
    .option("--session", "allow calls like it for the rest of the session, by the rule that is shown")
    .option("--input <file>", "run it with this input instead, a JSON file")
    .option("--extend", "give it more time and do nothing else")
    .option("--again", "of one that expired: let the agent make the call again")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--json", "print the approval as JSON")
    .addHelpText("after", HELP)
    .action(async (id: string | undefined, options: ApproveOptions, command: Command) => {
      const wrong = misuse(id, options);
      if (wrong !== undefined) command.error(`error: ${wrong}`);
      await withServer(context, command, ({ client }) =>
        id === undefined ? list(context, client, options) : new ApproveCommand(context, client, options).answer(id),
      );
    });
}

/** Options that do not go together. */
function misuse(id: string | undefined, options: ApproveOptions): string | undefined {
  const { reject, feedback, stop, session, input, show, extend, again } = options;
  if (id === undefined) {
    const answers = [reject, feedback, stop, session, input, show, extend, again].some(
      (option) => option !== undefined,
    );
    return answers ? "an approval's id is missing" : undefined;
  }
  if (reject !== true && (feedback !== undefined || stop === true)) return "--feedback and --stop need --reject";
  if (reject === true && (session === true || input !== undefined))
    return "--session and --input do not go with --reject";
  if (session === true && input !== undefined)
    return "--session and --input do not go together: the rule is for the call as it was asked";
  return undefined;
}

async function list(context: CommandContext, client: SallyportClient, options: ApproveOptions): Promise<ExitCode> {
  const page = await client.approvals({ status: "pending" });
  if (options.json === true) {
    printJson(context, page);
    return EXIT.done;
  }
  const { screen, surroundings } = context;
  if (page.approvals.length === 0) print(context, "nothing waits for an answer");
  for (const approval of page.approvals) {
    const left =
      approval.expires_at === undefined
        ? "parked"
        : `${countdown(Date.parse(approval.expires_at) - surroundings.now())} left`;
    print(context, `${approval.id}  ${visible(approval.tool)}  ${left}  session ${approval.session_id}`);
    print(context, `  ${previewLine(approval, screen.paint)}`);
  }
  if (page.next !== undefined) print(context, "… and more");
  return EXIT.done;
}

class ApproveCommand {
  readonly #context: CommandContext;
  readonly #client: SallyportClient;
  readonly #options: ApproveOptions;

  constructor(context: CommandContext, client: SallyportClient, options: ApproveOptions) {
    this.#context = context;
    this.#client = client;
    this.#options = options;
  }

  async answer(id: string): Promise<ExitCode> {
    const { extend, again } = this.#options;
    if (extend === true) {
      const { expires_at } = await this.#client.inbox.extend(id);
      print(this.#context, expires_at === undefined ? "it waits without an end" : `it waits until ${expires_at}`);
      return EXIT.done;
    }
    if (again === true) {
      const { queued } = await this.#client.inbox.askAgain(id);
      print(this.#context, queued ? "the agent is told when its turn ends" : "the agent was told to ask again");
      return EXIT.done;
    }
    const approval = await this.#client.approval(id);
    const { json, show, yes } = this.#options;
    if (show === true || approval.status !== "pending") {
      this.#show(approval);
      if (show === true) return EXIT.done;
      throw new Failure(
        "already_answered",
        `this approval is ${approval.status}${approval.resolved_by === undefined ? "" : ` (${approval.resolved_by.name})`}`,
      );
    }
    const decision =
      yes !== true && json !== true && this.#isTerminal() ? await this.#ask(approval) : await this.#flagged(approval);
    if (decision === undefined) {
      this.#context.screen.line("not answered");
      return EXIT.refused;
    }
    const answered = await this.#client.decide(id, decision);
    if (json === true) printJson(this.#context, answered);
    else print(this.#context, `${id} is ${answered.status}`);
    return EXIT.done;
  }

  #show(approval: Approval): void {
    const { screen } = this.#context;
    if (this.#options.json === true) {
      printJson(this.#context, approval);
      return;
    }
    print(
      this.#context,
      `${approval.id}  ${visible(approval.tool)}  ${approval.status}  session ${approval.session_id}`,
    );
    print(this.#context, visible(approval.reason));
    for (const line of showPreview(approval, { paint: screen.paint, mostLines: Infinity })) print(this.#context, line);
    if (approval.session_rule !== undefined) print(this.#context, `for the session: ${visible(approval.session_rule)}`);
  }

  #isTerminal(): boolean {
    const { input, errors } = this.#context.surroundings;
    return input.isTTY === true && errors.isTTY === true;
  }

  /** The whole dialog; if the flags already hold the answer, only a confirmation. */
  async #ask(approval: Approval): Promise<Decision | undefined> {
    const { surroundings, screen } = this.#context;
    const controller = new AbortController();
    const withdraw = (): void => controller.abort();
    const keyboard = new Keyboard({
      input: surroundings.input,
      screen: surroundings.errors,
      terminal: true,
      onInterrupt: withdraw,
    });
    try {
      const { reject, session, input } = this.#options;
      if (reject !== true && session !== true && input === undefined) {
        const asking = { keyboard, screen, edit: editorOf(surroundings.environment), now: surroundings.now };
        return await askDecision({ approval, behind: 0 }, asking, controller.signal);
      }
      const decision = await this.#flagged(approval);
      const line = await keyboard.ask(`${this.#words(approval, decision)} y/n › `, controller.signal);
      return line !== undefined && readAnswer(line).key === "yes" ? decision : undefined;
    } finally {
      keyboard.close();
    }
  }

  #words(approval: Approval, decision: Decision): string {
    if (decision.decision === "reject")
      return decision.interrupt === true ? "Reject it and stop the turn?" : "Reject it?";
    if (decision.scope === "session") return `Run it and add the rule ${visible(approval.session_rule ?? "")}?`;
    return decision.updated_input === undefined ? "Run it?" : "Run it with the input shown?";
  }

  /** The answer from the flags; its subject is shown first. */
  async #flagged(approval: Approval): Promise<Decision> {
    const { reject, feedback, stop, session, input, json } = this.#options;
    const { input_hash } = approval;
    const updated_input = input === undefined ? undefined : await this.#readInput(input);
    if (json !== true) {
      const { screen } = this.#context;
      this.#show(approval);
      if (updated_input !== undefined) {
        print(this.#context, "with the given input:");
        for (const line of showPreview(previewEdited(approval, updated_input), {
          paint: screen.paint,
          mostLines: Infinity,
        }))
          print(this.#context, line);
      }
    }
    if (reject === true) {
      return {
        decision: "reject",
        input_hash,
        ...(feedback === undefined ? {} : { feedback }),
        ...(stop === true ? { interrupt: true, hold_queue: true } : {}),
      };
    }
    if (updated_input !== undefined) return { decision: "approve", input_hash, updated_input };
    if (approval.preview.type === "question") {
      throw new Failure(
        "invalid_request",
        "this is a question: answer it in a terminal, or give its input with answers in --input",
      );
    }
    return { decision: "approve", input_hash, scope: session === true ? "session" : "once" };
  }

  async #readInput(path: string): Promise<Record<string, unknown>> {
    const text = await readFile(resolve(this.#context.surroundings.cwd, path), "utf8");
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Failure("invalid_request", `${path} is not valid JSON`);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Failure("invalid_request", `${path} must hold a JSON object`);
    return value as Record<string, unknown>;
  }
}
