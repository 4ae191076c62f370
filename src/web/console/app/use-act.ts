import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { wordsOf } from "../../ui/states.tsx";
import { useTell } from "../../ui/toasts.tsx";

/** Something to do, and what is said when it is done. */
interface ListAction {
  readonly run: () => Promise<unknown>;
  readonly done: string;
}

/** Actions on the things of a list, which is read again after each. */
export function useAct(list: QueryKey): {
  /** Failures are told. */
  readonly act: (act: ListAction) => void;
  /** Rejects with the failure, for a dialog that shows it. */
  readonly perform: (act: ListAction) => Promise<void>;
  readonly isActing: boolean;
} {
  const queries = useQueryClient();
  const tell = useTell();
  const acting = useMutation({
    mutationFn: async ({ run }: ListAction) => {
      await run();
    },
    onSuccess: (_, { done }) => tell.ok(done),
    onSettled: () => queries.invalidateQueries({ queryKey: list }),
  });
  return {
    act: (act) => acting.mutate(act, { onError: (error) => tell.bad(wordsOf(error)) }),
    perform: (act) => acting.mutateAsync(act),
    isActing: acting.isPending,
  };
}
