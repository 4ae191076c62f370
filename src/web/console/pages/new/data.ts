import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import {
  AUTONOMY_ORDER,
  Failure,
  type Autonomy,
  type ModelList,
  type Profile,
  type ProviderView,
  type Role,
} from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS, sessionChanged } from "../../app/feed.tsx";
import { freshKey } from "../../app/fresh-key.ts";
import type { Attached } from "../../../ui/attachments.ts";
import { wordsOf } from "../../../ui/states.tsx";
import { loadPart } from "../../../ui/load.ts";
import { problemsOf, type Draft, type Problems } from "./draft.ts";
import { useDraft } from "./draft-store.ts";
import { t } from "../../../ui/language/t.ts";

/** Absent: not read yet, or the caller may not see them. */
export function useProviders(): readonly ProviderView[] | undefined {
  const { client } = useConnection();
  const enabled = useMay("provider.read");
  const query = useQuery({
    queryKey: [...KEYS.providers, "list"],
    queryFn: async () => (await client.providers()).providers,
    enabled,
  });
  return query.data;
}

export interface ModelListState {
  /** Absent: on its way, or it cannot be had. */
  readonly data: ModelList | undefined;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}

/** Models of a provider, under a profile's rules. An empty profile: the default one. */
export function useModelList(provider: string, profile: string): ModelListState {
  const { client } = useConnection();
  const enabled = useMay("provider.read") && provider !== "";
  const { data, error, refetch } = useQuery({
    queryKey: ["models", provider, profile],
    queryFn: () => client.models({ provider, ...(profile === "" ? {} : { profile }) }),
    enabled,
    retry: false,
  });
  return { data, error, refetch };
}

export function usePolicy() {
  const { client } = useConnection();
  return useQuery({ queryKey: KEYS.policy, queryFn: () => client.policy() });
}

/** The most that this caller may request under a profile. */
export function mostAutonomy(profile: Profile | undefined, role: Role): Autonomy {
  const most = profile?.max_autonomy ?? "full";
  const usual = profile?.autonomy ?? "supervised";
  return role === "agent" && AUTONOMY_ORDER.indexOf(usual) < AUTONOMY_ORDER.indexOf(most) ? usual : most;
}

export interface StartState {
  readonly busy: boolean;
  readonly problems: Problems;
  readonly start: (draft: Draft, attached: readonly Attached[]) => void;
  readonly setProblems: (problems: Problems) => void;
}

/** Starts the session and opens it; a refusal is shown at its field. */
export function useStart(): StartState {
  const { client } = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const clear = useDraft((kept) => kept.clear);
  const [problems, setProblems] = useState<Problems>({});
  const sent = useRef<{ readonly body: string; readonly key: string } | undefined>(undefined);
  const mutation = useMutation({
    mutationFn: async ({ draft, attached }: { readonly draft: Draft; readonly attached: readonly Attached[] }) => {
      // It checks the request by its schema, which other pages that can start a session do not need.
      const { requestOf } = await loadPart(() => import("./draft-request.ts"));
      const request = requestOf(
        draft,
        attached.map(({ attachment }) => attachment),
      );
      if (request.problems !== undefined) throw new Mistakes(request.problems);
      const body = JSON.stringify(request.session);
      // Repeating the request after a lost answer starts no second session.
      if (sent.current?.body !== body) sent.current = { body, key: freshKey() };
      return await client.createSession(request.session, { key: sent.current.key });
    },
    onMutate: () => setProblems({}),
    onSuccess: async (session) => {
      sessionChanged(queries, session);
      await navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } });
      clear();
    },
    onError: (error) => {
      if (error instanceof Failure) sent.current = undefined;
      setProblems(refusalOf(error));
    },
  });
  return {
    busy: mutation.isPending || mutation.isSuccess,
    problems,
    start: (draft, attached) => mutation.mutate({ draft, attached }),
    setProblems,
  };
}

/** Found before anything was sent. */
class Mistakes extends Error {
  readonly problems: Problems;

  constructor(problems: Problems) {
    super(t("the form has mistakes"));
    this.problems = problems;
  }
}

function refusalOf(error: Error): Problems {
  if (error instanceof Mistakes) return error.problems;
  return error instanceof Failure ? problemsOf(error) : { form: wordsOf(error) };
}
