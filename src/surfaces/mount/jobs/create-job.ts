import {
  ComputeRequest,
  ContainerRequest,
  defined,
  Failure,
  type ComputeCreated,
  type ContainerCreated,
  type CreateComputation,
  type CreateContainer,
} from "../../../protocol/index.ts";
import type { Caller } from "../../../sessions/index.ts";
import { profileOfMount, type MountContext } from "../context.ts";
import { checkModel, chooseProvider, inTurn, keyOf, maxCost, requireKey } from "../create.ts";
import { json, parseWritten } from "../json.ts";
import { checkReserve, PARENT_NOTE } from "../reserve.ts";

/** Where it draws its money from, if not from its own budget. */
function parentOf({ parent_session_id }: { readonly parent_session_id: string | undefined }) {
  return defined({
    parent_session_id,
    metadata: parent_session_id === undefined ? undefined : { [PARENT_NOTE]: parent_session_id },
  });
}

/** Runs what was written to `/containers/new`. */
export async function createContainer(context: MountContext, caller: Caller, text: string): Promise<ContainerCreated> {
  const request = parseWritten(ContainerRequest, json(text));
  const { gateway, path } = context;
  const { name, profile } = profileOfMount(context, caller);
  requireKey(profile, request);
  const { limits, timeout_ms = Infinity, commands, sandbox, workspace, workspace_mode, autonomy } = request;
  const time = Math.min(timeout_ms, (limits?.max_time_secs ?? Infinity) * 1_000);
  const isInteractive = request.kind === "interactive";
  if (isInteractive !== (commands.length === 0))
    throw new Failure(
      "invalid_request",
      "invalid request: interactive takes no commands, write each to exec; ephemeral and build need at least one",
    );
  const wanted: CreateContainer = {
    ...(isInteractive ? { interactive: true } : { commands }),
    profile: name,
    ...defined({ sandbox, workspace, workspace_mode, autonomy, max_cost_microusd: maxCost(profile, request) }),
    ...defined({
      network: limits?.allow_network === false ? ("none" as const) : undefined,
      timeout_ms: time === Infinity ? undefined : time,
      memory_mib: limits?.max_memory_mb,
      max_output_chars: limits?.max_output_chars,
    }),
    ...parentOf(request),
  };
  const { id } = await inTurn(context, caller, () =>
    gateway.jobs.createContainer(caller, wanted, keyOf("containers", request.idempotency_key), {
      admit: (settings) =>
        // Commands ask no model: nothing is promised to them.
        checkReserve(gateway, caller, {
          settings: { ...settings, max_cost_microusd: undefined },
          profile,
          parent: undefined,
          asked: undefined,
        }),
    }),
  );
  const folder = `${path}/sessions/${id}`;
  return {
    session_id: id,
    status: "provisioning",
    status_path: `${folder}/status`,
    output_path: `${folder}/output`,
    result_path: `${folder}/result`,
  };
}

/** Asks the model that was named to `/compute/new`. */
export async function createComputation(context: MountContext, caller: Caller, text: string): Promise<ComputeCreated> {
  const request = parseWritten(ComputeRequest, json(text));
  const { gateway, path } = context;
  const { name, profile } = profileOfMount(context, caller);
  requireKey(profile, request);
  checkModel(profile, request.model);
  const max_cost_microusd = maxCost(profile, request);
  const provider = await chooseProvider(context, caller, { request, profile });
  const { model, timeout_ms, parent_session_id } = request;
  const wanted: CreateComputation = {
    ...inputOf(request),
    model,
    provider,
    profile: name,
    ...defined({ timeout_ms, max_cost_microusd }),
    ...parentOf(request),
  };
  const { id } = await inTurn(context, caller, () =>
    gateway.jobs.createComputation(caller, wanted, keyOf(provider, request.idempotency_key), {
      admit: (settings) =>
        checkReserve(gateway, caller, { settings, profile, parent: parent_session_id, asked: max_cost_microusd }),
    }),
  );
  const folder = `${path}/jobs/${id}`;
  return {
    job_id: id,
    status: "pending",
    status_path: `${folder}/status`,
    stream_path: `${folder}/stream`,
    result_path: `${folder}/result`,
  };
}

/** A conversation, or a single prompt. */
function inputOf({
  kind,
  input,
}: ComputeRequest): Pick<CreateComputation, "prompt" | "texts" | "messages" | "system_prompt" | "max_tokens"> {
  if ("prompt" in input !== (kind === "complete") || "texts" in input !== (kind === "embeddings"))
    throw new Failure(
      "invalid_request",
      "invalid request: chat has input.messages, complete has input.prompt, embeddings has input.texts",
    );
  if ("texts" in input) return { texts: input.texts };
  const { max_tokens } = input;
  if ("prompt" in input) return { prompt: { text: input.prompt }, ...defined({ max_tokens }) };
  const said = input.messages.flatMap(({ role, content }) => (role === "system" ? [] : [{ role, text: content }]));
  const last = said.pop();
  if (last?.role !== "user")
    throw new Failure("invalid_request", "invalid request: the last message must be the user's");
  if (said[0]?.role === "assistant")
    throw new Failure("invalid_request", "invalid request: the conversation must begin with the user");
  const system = input.messages.flatMap(({ role, content }) => (role === "system" ? [content] : []));
  return {
    prompt: { text: last.text },
    ...defined({
      max_tokens,
      messages: said.length === 0 ? undefined : said,
      system_prompt: system.length === 0 ? undefined : system.join("\n\n"),
    }),
  };
}
