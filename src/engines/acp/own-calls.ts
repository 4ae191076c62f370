import { LIMITS, USER_REJECTED, type ContentBlock, type ToolItem } from "../../protocol/index.ts";
import type { EngineEvent, Host } from "../engine.ts";
import { keyOf, list, record, text, type VendorFields } from "../vendor/fields.ts";
import type { CallReports } from "./call-reports.ts";
import type { TurnCalls } from "./calls.ts";
import { namedCall, sizeOf, updatedCall, type NamedCall, type OwnCall } from "./tool-names.ts";

interface KnownCall {
  call: OwnCall;
  /** Of its input; absent: that is not reported yet. */
  key: string | undefined;
  /** Characters. */
  size: number;
  /** Absent: it was not reported yet. */
  item?: ToolItem | undefined;
  /** It is a call of one of our tools, and was reported as that. */
  isOurs?: true | undefined;
  /** What a person or a rule allowed, and has not run yet. */
  allowed?: { readonly tool: string; readonly key: string } | undefined;
}

/** A call of one of our tools that came before the agent's report of it. */
interface UnreportedCall {
  /** Of its input. */
  readonly key: string;
  isAnswered: boolean;
}

interface OwnCallsOptions {
  /** The agent's name in tools. */
  readonly agent: string;
  readonly calls: TurnCalls;
  /** What must be reported before a call: text that it ends. */
  readonly before: () => readonly EngineEvent[];
  /** The agent has our tools: a call of its own may be one of ours, which was told already. */
  readonly hasOurs: boolean;
  readonly reports: CallReports;
  readonly sleep: Host["sleep"];
  /** Words of a person for which the protocol has no field. */
  readonly onFeedback: (item: ToolItem, words: string) => void;
}

/** What the agent is answered. */
type PermissionOutcome =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

/** Calls of an agent's own tools in one turn. */
export class OwnCalls {
  readonly #options: OwnCallsOptions;
  readonly #known = new Map<string, KnownCall>();
  /** What is kept of them. */
  #chars = 0;
  readonly #unreported: UnreportedCall[] = [];
  readonly #arrivals = new Set<() => void>();

  constructor(options: OwnCallsOptions) {
    this.#options = options;
  }

  /**
   * One of our tools is called. The agent reports each call as its own too, with what it said before: that is waited for, for a bounded
   * time, so that everything is told in its order.
   */
  async served({ input }: NamedCall, signal: AbortSignal): Promise<void> {
    const key = keyOf(input);
    const { reports, sleep } = this.#options;
    if (this.#claimOurs(key)) {
      reports.came();
      return;
    }
    const arrived = new AbortController();
    const look = (): void => {
      if (!arrived.signal.aborted && this.#claimOurs(key)) arrived.abort();
    };
    this.#arrivals.add(look);
    await sleep(reports.waitMs, AbortSignal.any([arrived.signal, signal]));
    this.#arrivals.delete(look);
    if (arrived.signal.aborted) reports.came();
    else if (!signal.aborted) reports.missed();
    if (!arrived.signal.aborted && this.#unreported.length < LIMITS.agentOpenCalls)
      this.#unreported.push({ key, isAnswered: false });
  }

  /** The agent has the result of a call of one of our tools. */
  answered({ input }: NamedCall): void {
    const key = keyOf(input);
    const call = this.#unreported.find((one) => one.key === key && !one.isAnswered);
    if (call !== undefined) call.isAnswered = true;
  }

  /** False: there are too many open calls, or they are too long. */
  async update(update: VendorFields): Promise<boolean> {
    const id = text(update["toolCallId"]);
    if (id === undefined) return true;
    const known = this.#take(id, update);
    if (known === undefined) return false;
    for (const look of this.#arrivals) look();
    const status = text(update["status"]);
    if (known.isOurs !== true && known.item === undefined && this.#wasOurs(known, status)) known.isOurs = true;
    if (status !== "completed" && status !== "failed") return true;
    this.#forget(id);
    if (known.isOurs === true) return true;
    const item = known.item ?? (await this.#begin(known));
    const output = outputOf(update);
    const exit_code = exitCodeOf(update);
    this.#options.calls.end(item, { status, output, is_error: status === "failed", exit_code });
    return true;
  }

  /** A call that the agent asks about. */
  async permission(params: VendorFields): Promise<VendorFields> {
    const update = record(params["toolCall"]);
    const known = this.#take(text(update["toolCallId"]) ?? "", update);
    const options = list(params["options"]).map(record);
    if (known === undefined) return answer({ outcome: "cancelled" });
    const named = namedCall(this.#options.agent, known.call);
    const item = known.item ?? (await this.#begin(known, named));
    const { calls } = this.#options;
    const verdict = await calls.ask(item, { foreign: true });
    if (verdict.effect === "allow" && isSame(verdict.input, item.input)) {
      known.allowed = { tool: named.tool, key: keyOf(named.input) };
      const once = chosen(options, "allow_once");
      if (once !== undefined) return answer(once);
      calls.refuse(item, notPossible("it offers no way to allow a call once"));
      return answer(chosen(options, "reject_once") ?? { outcome: "cancelled" });
    }
    if (verdict.effect === "deny") {
      calls.refuse(item, verdict);
      if (verdict.status !== "interrupted") this.#options.onFeedback(item, verdict.message);
      if (verdict.status === "interrupted" || verdict.interrupt) return answer({ outcome: "cancelled" });
    } else {
      const words = `${USER_REJECTED}run it with this input instead: ${JSON.stringify(verdict.input)}`;
      calls.refuse(item, { effect: "deny", message: words, status: "declined", interrupt: false });
      this.#options.onFeedback(item, words);
    }
    return answer(chosen(options, "reject_once") ?? { outcome: "cancelled" });
  }

  /** The call that was allowed for exactly this, and that nothing has run for yet: it runs as that one. */
  claim(named: NamedCall): ToolItem | undefined {
    const key = keyOf(named.input);
    for (const known of this.#known.values()) {
      const { item, allowed } = known;
      if (item === undefined || allowed === undefined || !this.#options.calls.isOpen(item)) continue;
      if (allowed.tool !== named.tool || allowed.key !== key) continue;
      known.allowed = undefined;
      return item;
    }
    return undefined;
  }

  #take(id: string, update: VendorFields): KnownCall | undefined {
    const before = this.#known.get(id);
    if (before === undefined && (id === "" || this.#known.size >= LIMITS.agentOpenCalls)) return undefined;
    const call = updatedCall(before?.call, update);
    const known: KnownCall = before ?? { call, key: undefined, size: 0 };
    if (before === undefined || call.input !== before.call.input) known.key = call.input && keyOf(call.input);
    this.#chars -= known.size;
    known.size = sizeOf(call);
    known.call = call;
    this.#chars += known.size;
    this.#known.set(id, known);
    return this.#chars > LIMITS.openTextChars ? undefined : known;
  }

  #forget(id: string): void {
    this.#chars -= this.#known.get(id)?.size ?? 0;
    this.#known.delete(id);
  }

  async #begin(known: KnownCall, named = namedCall(this.#options.agent, known.call)): Promise<ToolItem> {
    const item = await this.#options.calls.begin(named, this.#options.before());
    known.item = item;
    return item;
  }

  /** Each call of ours stands for one of the agent's, so nothing that it ran itself is hidden. */
  #claimOurs(key: string): boolean {
    const free = [...this.#known.values()].filter(({ item, isOurs }) => item === undefined && isOurs !== true);
    const same = free.find((one) => one.key === key);
    // An agent may report the input later, or never.
    const known = same ?? free.find((one) => one.key === undefined);
    if (known === undefined) return false;
    known.isOurs = true;
    return true;
  }

  /** A call that is reported after it was told as one of ours. Its input may come with a later report; with the last one it is not awaited. */
  #wasOurs({ key }: KnownCall, status: string | undefined): boolean {
    const hasEnded = status === "completed" || status === "failed";
    if (!this.#options.hasOurs || this.#unreported.length === 0 || (key === undefined && !hasEnded)) return false;
    const index = key === undefined ? 0 : this.#unreported.findIndex((one) => one.key === key);
    if (index < 0) return false;
    const [call] = this.#unreported.splice(index, 1);
    if (call?.isAnswered === false) this.#options.reports.came();
    return true;
  }
}

function answer(outcome: PermissionOutcome): VendorFields {
  return { outcome };
}

/** Never an option that also allows later calls. */
function chosen(options: readonly VendorFields[], kind: "allow_once" | "reject_once"): PermissionOutcome | undefined {
  const optionId = text(options.find((option) => option["kind"] === kind)?.["optionId"]);
  return optionId === undefined ? undefined : { outcome: "selected", optionId };
}

function notPossible(why: string): Parameters<TurnCalls["refuse"]>[1] {
  return {
    effect: "deny",
    message: `The agent cannot be told of the approval: ${why}.`,
    status: "failed",
    interrupt: false,
  };
}

function isSame(one: VendorFields, other: VendorFields): boolean {
  return keyOf(one) === keyOf(other);
}

/** What the call showed, cut to the limit for one result. */
function outputOf(update: VendorFields): readonly ContentBlock[] {
  const shown = list(update["content"]).map(record).flatMap(textOf);
  const raw = update["rawOutput"];
  const words = shown.length > 0 || raw === undefined || raw === null ? shown.join("\n") : plain(raw);
  if (words === "") return [];
  const clean = words.toWellFormed();
  return [{ type: "text", text: clean.slice(0, LIMITS.toolOutputChars) }];
}

function textOf(content: VendorFields): readonly string[] {
  const inner = record(content["content"]);
  const said = content["type"] === "content" && inner["type"] === "text" ? text(inner["text"]) : undefined;
  return said === undefined ? [] : [said];
}

function plain(raw: unknown): string {
  if (typeof raw === "string") return raw;
  return text(record(raw)["output"]) ?? JSON.stringify(raw);
}

function exitCodeOf(update: VendorFields): number | undefined {
  const raw = record(update["rawOutput"]);
  const code = raw["exitCode"] ?? raw["exit_code"] ?? record(raw["metadata"])["exit"];
  return typeof code === "number" && Number.isInteger(code) ? code : undefined;
}
