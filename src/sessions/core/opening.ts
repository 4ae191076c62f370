import type { Conversation, TurnChannel } from "../../engines/index.ts";
import { Failure, isToolItem, SKILL_TOOL } from "../../protocol/index.ts";
import { withdrawNetworkQuestions } from "../permission/network-questions.ts";
import { withdrawTurnQuestions } from "../permission/turn-question.ts";
import { instructedSettings } from "../workspace/session-instructions.ts";
import { hostFor } from "./host.ts";
import { ancestry, history } from "./journal.ts";
import type { Session } from "./session.ts";
import type { OpenTurn } from "./state.ts";

/** How a turn begins. */
export type Begin = (conversation: Conversation, channel: TurnChannel) => Promise<void>;

/** A turn that is about to begin. `upto`: the last event that the conversation already includes. */
export interface TurnStart {
  readonly turn_id: string;
  readonly upto: number;
  readonly begin: Begin;
}

/** Writes what a dead server could not about the open turn. */
export async function recoverTurn(session: Session): Promise<void> {
  const { dependencies, state } = session;
  const { id, turn, settings } = state;
  if (turn === undefined) {
    if (state.status === "queued") await session.execute({ type: "recover", resumable: false });
    return;
  }
  session.recording.resume();
  const engine = dependencies.engines.get(settings.engine);
  const isHeld = dependencies.held?.claim(id, turn.id) === true;
  await session.budget.countTheDead(turn);
  await withdrawNetworkQuestions(session);
  await withdrawTurnQuestions(session);
  // Its program is still running: it was not interrupted.
  if (!isHeld) await session.execute({ type: "recover", resumable: engine?.capabilities.resume_turn === true });
}

/** Continues a turn that was open when the last server stopped. */
export function beginAgain({ items }: OpenTurn): Begin {
  // A sub-agent's own calls are continued by the call that started it.
  const open = Object.values(items)
    .filter(isToolItem)
    .filter((item) => item.parent_id === undefined);
  return async (conversation, channel) => {
    if (conversation.resumeTurn === undefined)
      throw new Failure("engine_failed", "this engine cannot take a turn up again");
    await conversation.resumeTurn(open, channel);
  };
}

/** Opens the engine's conversation of a session, with its journal up to and including `upto`. */
export async function openConversation(session: Session, upto: number): Promise<Conversation> {
  const { id, settings, turns, turn, lineage } = session.state;
  const { engines, store } = session.dependencies;
  const engine = engines.get(settings.engine);
  if (engine === undefined) {
    throw new Failure(
      "unsupported",
      `there is no engine ${settings.engine}; there are: ${[...engines.keys()].join(", ")}`,
    );
  }
  const host = await hostFor(session);
  session.servers.host = host;
  const { current } = session.instructions;
  // Nothing was said yet: there is no history to load.
  const fresh = turns === 0 && lineage.length === 0 && turn !== undefined && upto < turn.started_seq;
  if (!fresh) await session.settled();
  return engine.open(
    {
      session_id: id,
      settings: instructedSettings(settings, current, {
        // Without skills it is not offered.
        hasSkillTool: current.skills.length > 0 && host.toolbox.definitions().some(({ name }) => name === SKILL_TOOL),
        hasAgents: engine.capabilities.agents,
      }),
      history: () => history(store.read, { id, lineage }, fresh ? 0 : upto),
      ancestry: await ancestry(session.dependencies, lineage),
    },
    host,
  );
}

/** Whether its engine, or an MCP server, keeps a process between turns. */
export function keepsProcess({ dependencies, state, servers }: Session): boolean {
  return dependencies.engines.get(state.settings.engine)?.capabilities.warm === true || servers.haveProgram;
}
