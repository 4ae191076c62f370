import type { CreateSession } from "../../protocol/index.ts";

const INITIALIZER = `You are the first of many sessions that build one piece of software, one after the other. Each begins without memory of the others: all they share is this folder.

The task:

{{task}}

Do this, in this order:

1. Write feature_list.json: a JSON array of features, the most important first, each
   {"description": "…", "steps": ["…"], "passes": false}
   A feature is something that can be tried from outside, and "steps" say how. Cover the whole task. All of them begin with "passes": false.
2. Write init.sh, which installs what is needed and starts the software for a try.
3. Make a git repository if there is none, and commit.
4. If there is time left, begin with the first feature.
5. Write progress.md: what is there, what is next, what the next session must know. Commit.

Later sessions change only "passes" in feature_list.json. Nobody removes or rewrites a feature.`;

const CODER = `You go on with a piece of software that others began. You have no memory of their sessions: all that you know is in this folder.

The task:

{{task}}

{{passing}} of {{total}} features pass. This is session {{session}}.

1. Look around: pwd, ls, read progress.md, feature_list.json and git log.
2. Start the software (init.sh) and try one or two features that are said to pass. If one does not, set its "passes" to false and mend it first.
3. Take the first feature that does not pass: number {{next}}, "{{next_feature}}". Build it, and try it from outside as its steps say.
4. Only when you saw it work, set its "passes" to true in feature_list.json. Change nothing else there: never remove or rewrite a feature.
5. Commit with a message that says what works now, and bring progress.md up to date.

Do one feature well rather than several by half. Leave the folder so that the next session can begin at once.`;

/** What a long run uses that names no templates of its own. Document 004's harness: an initializer, then coders. */
export const SHIPPED_TEMPLATES: Readonly<Record<"initializer" | "coder", CreateSession>> = {
  initializer: { prompt: { text: INITIALIZER }, max_turns: 1_000 },
  coder: { prompt: { text: CODER }, max_turns: 1_000 },
};

/** What a template's prompt may name. */
export interface PromptValues {
  readonly task: string;
  /** From 1. */
  readonly session: number;
  readonly passing: number;
  readonly total: number;
  /** The first feature that does not pass, from 1. */
  readonly next: number;
  readonly next_feature: string;
}

/** Each `{{name}}` becomes its value. Values are not looked through again; unknown names stay as they are. */
export function filledIn(text: string, values: PromptValues): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name as keyof PromptValues]) : whole,
  );
}
