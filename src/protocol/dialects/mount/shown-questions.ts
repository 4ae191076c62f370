/** The questions of a session that somebody was last shown: an answer without a name refers to these. */
export interface ShownQuestions {
  /** Their ids, the oldest first. */
  readonly ids: readonly string[];
  /** From `tools/pending`, and not from `status`. */
  readonly listed: boolean;
}

export function shownInList(ids: readonly string[]): ShownQuestions {
  return { ids, listed: true };
}

/** What `status` shows does not replace an unanswered list: a waiting program polls `status`. */
export function shownInStatus(before: ShownQuestions | undefined, id: string | undefined): ShownQuestions {
  if (before !== undefined && before.listed && before.ids.length > 0) return before;
  return { ids: id === undefined ? [] : [id], listed: false };
}

export function withoutQuestion({ ids, listed }: ShownQuestions, id: string): ShownQuestions {
  return { ids: ids.filter((known) => known !== id), listed };
}
