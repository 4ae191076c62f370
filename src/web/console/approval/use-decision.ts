import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Failure, type Approval, type Decision } from "../../../protocol/index.ts";
import type { LiveStatus } from "../../../client/index.ts";
import { useConnection, useLiveStatus } from "../../ui/app/connection.tsx";
import { KEYS, usePendingApprovals } from "../app/feed.tsx";
import { t } from "../../ui/language/t.ts";

/** An answer without the hash, which is always that of what is shown. */
export type UnboundDecision = Omit<Decision, "input_hash">;

const CHECK_FILE_MS = 5_000;

/** The question's current state: the feed updates it as soon as somebody answers, here or elsewhere. */
export function useApproval(given: Approval): Approval {
  const { client } = useConnection();
  const { approvals, isPending } = usePendingApprovals();
  const { data, refetch } = useQuery({
    queryKey: KEYS.approval(given.id),
    queryFn: () => client.approval(given.id),
    initialData: given,
    staleTime: Infinity,
    // Whether the file is still what was shown.
    refetchInterval: ({ state }) =>
      state.data?.status === "pending" && state.data.planned !== undefined ? CHECK_FILE_MS : false,
  });
  // Events during a lost connection are not repeated: the list shows that the question ended, but not how.
  const gone = !isPending && data.status === "pending" && !approvals.some(({ id }) => id === data.id);
  useEffect(() => {
    if (gone) void refetch();
  }, [gone, refetch]);
  return data;
}

interface DecisionState {
  readonly decide: (answer: UnboundDecision) => void;
  readonly busy: boolean;
  /** Why the answer was refused. */
  readonly refusal: string | undefined;
}

export function useDecision(approval: Approval): DecisionState {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { state } = useLiveStatus();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (answer: UnboundDecision) => client.decide(approval.id, { ...answer, input_hash: approval.input_hash }),
    onSuccess: (answered) => settle(queries, answered),
    // Not awaited: the buttons must not stay disabled until an unreachable server answers.
    onError: () => void queries.invalidateQueries({ queryKey: KEYS.approval(approval.id) }),
  });
  const isUnsent = error !== null && !(error instanceof Failure);
  useEffect(() => {
    // The server is back: "cannot be reached" is no longer true.
    if (isUnsent && state === "open") reset();
  }, [isUnsent, state, reset]);
  return {
    decide: (answer) => {
      if (!isPending) mutate(answer);
    },
    busy: isPending,
    refusal: isPending ? waitingWords(state) : error === null ? undefined : refusalWords(error),
  };
}

/** An answer is under way while the server is unreachable. */
function waitingWords(state: LiveStatus["state"]): string | undefined {
  return state === "waiting" || state === "offline" ? t("Not sent yet: the server can’t be reached.") : undefined;
}

export function settle(queries: QueryClient, answered: Approval): void {
  queries.setQueryData(KEYS.approval(answered.id), answered);
  queries.setQueryData<readonly Approval[]>([...KEYS.approvals, "pending"], (pending) =>
    pending?.filter(({ id }) => id !== answered.id),
  );
  void queries.invalidateQueries({ queryKey: [...KEYS.approvals, "ended"] });
}

export function refusalWords(error: Error): string {
  if (!(error instanceof Failure)) return t("Not sent: the server can’t be reached. Try again when it is back.");
  switch (error.code) {
    case "already_answered":
      return t("This was answered already. The first answer counts.");
    case "timed_out":
      return t("This expired before your answer arrived.");
    case "input_changed":
      return t("The call has changed since you saw it. Review it again.");
    default:
      return error.message;
  }
}
