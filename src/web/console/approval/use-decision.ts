import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Failure, type Approval, type Decision } from "../../../protocol/index.ts";
import { useConnection } from "../app/connection.tsx";
import { KEYS, usePendingApprovals } from "../app/feed.tsx";
import { wordsOf } from "../ui/states.tsx";

/** An answer without the hash: that is always the one of what is shown. */
export type Answer = Omit<Decision, "input_hash">;

/** The question as it is now: the feed changes it as soon as somebody answered, here or elsewhere. */
export function useApproval(given: Approval): Approval {
  const { client } = useConnection();
  const { approvals, isPending } = usePendingApprovals();
  const { data, refetch } = useQuery({
    queryKey: KEYS.approval(given.id),
    queryFn: () => client.approval(given.id),
    initialData: given,
    staleTime: Infinity,
  });
  // What happened while the connection was gone is not told again: the list knows that the question ended, but not how.
  const gone = !isPending && data.status === "pending" && !approvals.some(({ id }) => id === data.id);
  useEffect(() => {
    if (gone) void refetch();
  }, [gone, refetch]);
  return data;
}

interface Deciding {
  readonly decide: (answer: Answer) => void;
  readonly busy: boolean;
  /** Why the answer was not taken, in words. */
  readonly refusal: string | undefined;
}

export function useDecision(approval: Approval): Deciding {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (answer: Answer) => client.decide(approval.id, { ...answer, input_hash: approval.input_hash }),
    onSuccess: (answered) => settle(queries, answered),
    onError: () => queries.invalidateQueries({ queryKey: KEYS.approval(approval.id) }),
  });
  return { decide: mutate, busy: isPending, refusal: error === null ? undefined : refusalWords(error) };
}

function settle(queries: QueryClient, answered: Approval): void {
  queries.setQueryData(KEYS.approval(answered.id), answered);
  queries.setQueryData<readonly Approval[]>([...KEYS.approvals, "pending"], (pending) =>
    pending?.filter(({ id }) => id !== answered.id),
  );
  void queries.invalidateQueries({ queryKey: [...KEYS.approvals, "ended"] });
}

function refusalWords(error: Error): string {
  if (!(error instanceof Failure)) return `${wordsOf(error)} Your answer was not taken.`;
  switch (error.code) {
    case "already_answered":
      return "Somebody else answered first. Your answer was not needed.";
    case "timed_out":
      return "The time was up before your answer came.";
    case "input_changed":
      return "The call is not the one that you saw any more. Look at it again.";
    default:
      return error.message;
  }
}
