import { useState } from "react";
import type { Policy, Profile } from "../../../../protocol/index.ts";
import { samePolicy, type PolicyProblem } from "./draft.ts";

export interface PolicyEditor {
  /** The policy in force when editing began. */
  readonly before: Policy;
  readonly draft: Policy;
  readonly isChanged: boolean;
  /** Fields that hold no value, by their place. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly problems: readonly PolicyProblem[];
  /** Grows when everything that was written is to be forgotten. */
  readonly round: number;
  setDraft(policy: Policy): void;
  setProfile(name: string, profile: Profile | undefined): void;
  setWrong(place: string, words: string | undefined): void;
  setProblems(problems: readonly PolicyProblem[]): void;
  /** Starts again from this policy. */
  begin(policy: Policy): void;
}

/** What an admin has changed and not saved. */
export function useDraft(inForce: Policy): PolicyEditor {
  const [before, setBefore] = useState(inForce);
  const [draft, setDraft] = useState(inForce);
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<readonly PolicyProblem[]>([]);
  const [round, setRound] = useState(0);
  const change = (policy: Policy): void => {
    setDraft(policy);
    // The server's complaints were about the earlier content.
    setProblems([]);
  };
  return {
    before,
    draft,
    wrong,
    problems,
    round,
    isChanged: !samePolicy(before, draft) || Object.keys(wrong).length > 0,
    setProblems,
    setDraft: change,
    setProfile: (name, profile) => {
      const { [name]: _, ...others } = draft.profiles;
      change({ ...draft, profiles: profile === undefined ? others : { ...draft.profiles, [name]: profile } });
    },
    setWrong: (place, words) =>
      setWrong((old) => {
        const { [place]: _, ...others } = old;
        return words === undefined ? others : { ...others, [place]: words };
      }),
    begin: (policy) => {
      setBefore(policy);
      setDraft(policy);
      setWrong({});
      setProblems([]);
      setRound((old) => old + 1);
    },
  };
}
