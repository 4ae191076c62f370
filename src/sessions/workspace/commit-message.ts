import type { ChangeSetFile } from "../../protocol/index.ts";

/** As git's own tools wrap and list it. */
const SUBJECT_CHARS = 72;
const LISTED_FILES = 20;

const VERBS: Readonly<Record<ChangeSetFile["status"], string>> = {
  added: "Add",
  modified: "Change",
  deleted: "Delete",
};

/** A message for a commit of these files: what was asked in one line, then what was done to which file. No model is needed for it. */
export function commitMessage(asked: string, files: readonly ChangeSetFile[]): string {
  const subject = subjectOf(asked) ?? summaryOf(files);
  const lines = files.slice(0, LISTED_FILES).map(({ path, status }) => `- ${VERBS[status]} ${oneLine(path)}`);
  const more = files.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more files`);
  return files.length === 1 && subject === summaryOf(files) ? subject : `${subject}\n\n${lines.join("\n")}`;
}

/** The first sentence of what was asked; undefined: nothing was said. */
function subjectOf(asked: string): string | undefined {
  const line = oneLine(asked).replace(/^(?:please|kindly|can you|could you)[,\s]+/i, "");
  const sentence = /^.+?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  const words = sentence.replace(/[\s.!?…]+$/, "");
  if (!/\p{L}{2}/u.test(words)) return undefined;
  const cut = words.length <= SUBJECT_CHARS ? words : `${words.slice(0, words.lastIndexOf(" ", SUBJECT_CHARS - 2))} …`;
  const fitting = cut.length <= SUBJECT_CHARS ? cut : `${cut.slice(0, SUBJECT_CHARS - 2)} …`;
  return fitting.charAt(0).toUpperCase() + fitting.slice(1);
}

function summaryOf(files: readonly ChangeSetFile[]): string {
  const [first] = files;
  if (first === undefined) return "Change nothing";
  const verb = files.every(({ status }) => status === first.status) ? VERBS[first.status] : "Change";
  const others = files.length - 1;
  const name = oneLine(first.path);
  return others === 0 ? `${verb} ${name}` : `${verb} ${name} and ${others} more ${others === 1 ? "file" : "files"}`;
}

/** A name of a file may hold a line break. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
