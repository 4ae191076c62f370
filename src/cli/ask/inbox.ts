import type { SallyportClient } from "../../client/index.ts";
import { Failure, type Approval, type Decision, type JournalEvent } from "../../protocol/index.ts";
import { previewLine } from "../show/preview.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { count } from "../terminal/words.ts";
import type { AskContext } from "./asking.ts";
import { askDecision } from "./dialog.ts";

export interface InboxOptions {
  readonly client: Pick<SallyportClient, "approval" | "decide">;
  readonly screen: Screen;
  /** Absent: nobody can be asked here, so it only says how to answer elsewhere. */
  readonly asking?: AskContext | undefined;
  /** The command that answers an approval. */
  readonly hint: (approval_id: string) => string;
  /** The open questions when watching began: older ones in the journal have been answered. */
  readonly known: { readonly seq: number; readonly pending: readonly string[] };
}

type ResolvedEvent = Extract<JournalEvent, { type: "approval.resolved" }>;

/** The approvals of one session: asked one at a time, withdrawn as soon as somebody else has answered. */
export class ApprovalInbox {
  readonly #options: InboxOptions;
  /** Everything that waits for an answer, in the order it came. */
  readonly #pending = new Map<string, Approval>();
  /** Of these, what is still to be asked here. */
  #queue: Approval[] = [];
  #open: { readonly id: string; readonly controller: AbortController } | undefined;
  /** Answers sent from here: their author need not be shown. */
  readonly #own = new Set<string>();
  #asking: AskContext | undefined;
  #work: Promise<void> | undefined;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#asking = options.asking;
  }

  take(event: JournalEvent): void {
    const { seq, pending } = this.#options.known;
    if (event.type === "approval.requested") {
      if (event.seq > seq || pending.includes(event.approval.id)) this.#requested(event.approval);
    } else if (event.type === "approval.resolved") this.#resolved(event);
  }

  /** Withdraws the open question; nothing is asked any more. */
  async close(): Promise<void> {
    this.#asking = undefined;
    this.#queue = [];
    this.#open?.controller.abort();
    await this.#work;
  }

  #requested(approval: Approval): void {
    this.#pending.set(approval.id, approval);
    if (this.#asking === undefined) {
      this.#tell(approval);
      return;
    }
    this.#queue.push(approval);
    this.#work ??= this.#askAll().finally(() => {
      this.#work = undefined;
    });
  }

  #tell(approval: Approval): void {
    const { screen, hint } = this.#options;
    const { paint } = screen;
    const pending = paint.dim(`(${count(this.#pending.size, "approval")} pending)`);
    screen.line(
      `${paint.yellow("?")} ${visible(approval.tool)} waits for a person: ${previewLine(approval, paint)} ${pending}`,
    );
    screen.line(`  answer it with: ${hint(approval.id)}`);
  }

  #resolved(event: ResolvedEvent): void {
    const { screen, known } = this.#options;
    const { paint } = screen;
    const { approval_id, granted_rule } = event;
    const waited = this.#pending.delete(approval_id);
    this.#queue = this.#queue.filter((approval) => approval.id !== approval_id);
    if (this.#own.delete(approval_id)) {
      if (granted_rule !== undefined) screen.line(paint.dim(`  from now on without asking: ${visible(granted_rule)}`));
      return;
    }
    if (this.#open?.id === approval_id) this.#open.controller.abort();
    if (waited || event.seq <= known.seq) screen.line(told(event, paint));
  }

  async #askAll(): Promise<void> {
    const { screen } = this.#options;
    for (let approval = this.#queue.shift(); approval !== undefined; approval = this.#queue.shift()) {
      const asking = this.#asking;
      if (asking === undefined) return;
      const controller = new AbortController();
      this.#open = { id: approval.id, controller };
      screen.hold();
      try {
        const decision = await askDecision({ approval, behind: this.#queue.length }, asking, controller.signal);
        if (decision !== undefined) await this.#send(approval, decision);
      } finally {
        this.#open = undefined;
        screen.release();
      }
      if (asking.keyboard.closed) this.#stopAsking();
    }
  }

  /** Nobody types any more: prints how to answer instead. */
  #stopAsking(): void {
    if (this.#asking === undefined) return;
    this.#asking = undefined;
    this.#queue = [];
    for (const approval of this.#pending.values()) this.#tell(approval);
  }

  async #send(approval: Approval, decision: Decision): Promise<void> {
    const { client, screen } = this.#options;
    this.#own.add(approval.id);
    try {
      await client.decide(approval.id, decision);
    } catch (error) {
      this.#own.delete(approval.id);
      const message = error instanceof Error ? error.message : "it failed";
      screen.aside(screen.paint.red(`your answer was not taken: ${visible(message)}`));
      const again = await this.#afterRefusal(approval, error);
      if (again !== undefined && this.#pending.has(again.id)) this.#queue.unshift(again);
    }
  }

  /** The approval to ask about again; undefined if nothing is left to ask. */
  async #afterRefusal(approval: Approval, error: unknown): Promise<Approval | undefined> {
    const code = error instanceof Failure ? error.code : undefined;
    switch (code) {
      case undefined:
      case "invalid_request":
      case "rate_limited":
      case "not_approvable":
        return approval;
      default:
        return undefined;
    }
  }
}

function told({ outcome, by, feedback, granted_rule, changed }: ResolvedEvent, paint: Paint): string {
  const name = visible(by.name);
  switch (outcome) {
    case "approved": {
      const rule = granted_rule === undefined ? "" : `, from now on without asking: ${visible(granted_rule)}`;
      return paint.green(`  approved by ${name}${rule}`);
    }
    case "rejected":
      return paint.yellow(`  rejected by ${name}${feedback === undefined ? "" : `: ${oneLine(feedback, 200)}`}`);
    case "timed_out":
      return paint.yellow("  nobody answered in time, so it was not run");
    case "cancelled":
      return changed === true
        ? paint.yellow("  it changed since it was shown, so it was not run; it is asked about again")
        : paint.dim("  the question was withdrawn");
  }
}
