import { z } from "zod";
import {
  BUILT_IN_TOOL_NAMES,
  defined,
  LIMITS,
  SKILL_TOOL,
  toolConfigOf,
  TUNNEL_PREFIX,
  type ClaudeRequest,
  type ErrorDetail,
  type Item,
  type Prompt,
  type ToolItem,
} from "../../protocol/index.ts";
import type { Conversation, ConversationOptions, Host, TurnChannel, TurnMoney } from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import { SmallStateFile } from "../vendor/state-file.ts";
import type { HomeDoor } from "./door.ts";
import { HomeTurn } from "./turn.ts";

/** What must outlive this server. */
const HomeState = z.object({
  /** What the session is called at home. Absent: it has none there. */
  home_session_id: z.string().optional(),
  /** The last turn that was sent. Absent: none was. */
  turn: z
    .object({
      id: z.string(),
      /** Milliseconds since the epoch. */
      at: z.number(),
      max_cost_usd: z.number().int(),
    })
    .optional(),
});
type HomeState = z.infer<typeof HomeState>;

/** A turn as the journal has it. */
interface OpenHomeTurn {
  prompt: Prompt | undefined;
  readonly items: Map<string, Item>;
}

/** A session that the machine at the other end of its provider's tunnel runs. */
export class HomeConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #door: HomeDoor;
  readonly #file: SmallStateFile<HomeState>;

  constructor(opening: ConversationOptions, host: Host, door: HomeDoor) {
    this.#opening = opening;
    this.#host = host;
    this.#door = door;
    this.#file = new SmallStateFile(host.folder, { name: "tunnel.json", schema: HomeState });
  }

  async turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    await this.#send(prompt, channel, []);
  }

  /** Home goes on, whatever happens here: the turn is told again, and what the journal has of it is left out. */
  async resumeTurn(_open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    const { prompt, items } = await lastTurn(this.#opening.history());
    const known = [...items.values()];
    const { turn } = this.#file.state;
    if (prompt === undefined) {
      await fail(channel, { code: "engine_failed", message: "the prompt of this turn is gone; send it again" });
      return;
    }
    if (turn?.id !== this.#host.turnId()) {
      await this.#send(prompt, channel, known);
      return;
    }
    if (this.#host.now() - turn.at > LIMITS.tunnelPromptAgainMs) {
      await fail(channel, {
        code: "engine_failed",
        message: "home may have forgotten this turn; send the prompt again",
      });
      return;
    }
    // What the last server had reserved for it is spent: it need not be paid again.
    await this.#run({ prompt, channel, known, max_cost_usd: turn.max_cost_usd, money: undefined, isAgain: true });
  }

  async close(): Promise<void> {
    // A turn that waits for its bill closes what it holds.
  }

  async #send(prompt: Prompt, channel: TurnChannel, known: readonly Item[]): Promise<void> {
    if (prompt.attachments?.some(({ type }) => type === "image") === true) {
      await fail(channel, { code: "unsupported", message: "pictures cannot be sent through a tunnel; leave them out" });
      return;
    }
    const money = await this.#reserve(channel.signal);
    if ("code" in money) {
      await fail(channel, money);
      return;
    }
    const max_cost_usd = money.amount;
    // Before anything is sent: whoever comes after us must not send it as a new one.
    this.#file.save({ turn: { id: this.#host.turnId(), at: this.#host.now(), max_cost_usd } });
    await this.#run({ prompt, channel, known, max_cost_usd, money, isAgain: false });
  }

  /** Money for the turn. Where there is none, a person is asked for it. */
  async #reserve(signal: AbortSignal): Promise<TurnMoney | ErrorDetail> {
    const host = this.#host;
    if (host.reserveTurn === undefined)
      return { code: "unsupported", message: "nothing limits what this turn would spend" };
    for (let round = 0; ; round += 1) {
      const money = await host.reserveTurn(signal);
      if (!("code" in money)) return money;
      if (money.code !== "budget_exceeded" || round >= LIMITS.engineFundsRounds) return money;
      const more = await host.funds(signal);
      if (signal.aborted) return ABORTED;
      if (!more.granted) return { ...money, message: more.message };
    }
  }

  async #run(
    given: Pick<
      ConstructorParameters<typeof HomeTurn>[0],
      "prompt" | "channel" | "known" | "max_cost_usd" | "money" | "isAgain"
    >,
  ): Promise<void> {
    const { settings, session_id } = this.#opening;
    const turn = new HomeTurn({
      ...given,
      host: this.#host,
      door: this.#door,
      provider: settings.provider,
      session_id,
      turn_id: this.#host.turnId(),
      request: this.#request(),
      homeSession: () => this.#file.state.home_session_id,
      onCreated: (home_session_id) => {
        this.#file.save({ home_session_id });
        this.#host.identify?.(home_session_id);
      },
    });
    await turn.run();
  }

  #request(): ClaudeRequest {
    const { settings } = this.#opening;
    const { system_prompt, max_context_tokens, max_cost_microusd, autonomy } = settings;
    return {
      model: this.#host.model.name,
      tools: this.#tools().map((name) => ({
        name,
        description: undefined,
        config: toolConfigOf(settings.tool_config, name),
      })),
      tunnel_endpoint: settings.provider.slice(TUNNEL_PREFIX.length),
      autonomy_at_most: autonomy,
      // What a turn may cost is decided here, and nobody is asked for more there.
      at_budget_end: "fail",
      ...defined({ system_prompt, max_context_tokens, max_cost_usd: max_cost_microusd }),
    } as ClaudeRequest;
  }

  /** The tools that the session may use. Empty: all, as far as the machine at home allows them. */
  #tools(): readonly string[] {
    const { settings } = this.#opening;
    if (settings.tools !== undefined) return settings.tools;
    const { toolbox } = this.#host;
    const offered = new Set(toolbox.definitions().map(({ name }) => name));
    // Skills are the workspace's, and home has its own.
    const ours = BUILT_IN_TOOL_NAMES.filter((name) => name !== SKILL_TOOL && toolbox.traits(name).known);
    const narrowed = ours.filter((name) => offered.has(name));
    return narrowed.length === ours.length && settings.tool_config === undefined ? [] : narrowed;
  }
}

async function fail(channel: TurnChannel, error: ErrorDetail): Promise<void> {
  await channel.tell([{ type: "turn.failed", error }]);
}

/** The turn that the journal ends with. */
async function lastTurn(history: ReturnType<ConversationOptions["history"]>): Promise<OpenHomeTurn> {
  let last: OpenHomeTurn = { prompt: undefined, items: new Map() };
  for await (const event of history) {
    if (event.type === "turn.started") last = { prompt: event.prompt, items: new Map() };
    else if ("item" in event) last.items.set(event.item.id, event.item);
  }
  return last;
}
