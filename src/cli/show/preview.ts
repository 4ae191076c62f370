import {
  dollars,
  reviewDiff,
  type Approval,
  type CommandPart,
  type FileDiff,
  type PagePreview,
  type Preview,
  type Question,
  type ReviewPreview,
} from "../../protocol/index.ts";
import type { Paint } from "../terminal/paint.ts";
import { clip, oneLine, visible, visibleCommand } from "../terminal/visible.ts";
import { duration } from "../terminal/words.ts";
import { badge, moreLines, paintDiff } from "./diff.ts";

export interface ShowOptions {
  readonly paint: Paint;
  /** Of a diff. */
  readonly mostLines: number;
}

type CommandPreview = Extract<Preview, { type: "command" }>;
/** What a person must see before answering; the same for an approval and for an edited version of its input. */
export type PreviewText = Pick<Approval, "preview" | "warnings"> & {
  /** The whole input, for calls without a better preview. Absent: the preview shows everything. */
  readonly input?: Approval["input"] | undefined;
};

/** Everything that a person must see before approving. */
export function showPreview(shown: PreviewText, options: ShowOptions): readonly string[] {
  const { paint } = options;
  return [...bodyOf(shown, options), ...shown.warnings.map((warning) => paint.yellow(`⚠ ${visible(warning.message)}`))];
}

/** True when `showPreview` leaves something out. */
export function isCut(shown: PreviewText, options: ShowOptions): boolean {
  const whole = showPreview(shown, { ...options, mostLines: Infinity });
  return whole.join("\n") !== showPreview(shown, options).join("\n");
}

/** One line for lists. */
export function previewLine(approval: Approval, paint: Paint): string {
  const { preview } = approval;
  switch (preview.type) {
    case "diff":
    case "notebook":
      return `${visible(preview.file.file_path)} ${badge(preview.file, paint)}`;
    case "multi_diff":
      return preview.files.map((file) => `${visible(file.file_path)} ${badge(file, paint)}`).join(", ");
    case "command":
      return oneLine(preview.command, 120);
    case "question":
      return oneLine(preview.questions[0]?.question ?? "a question", 120);
    case "budget":
    case "network":
    case "changes":
    case "generic":
      return oneLine(preview.summary.replaceAll(/\s+/g, " "), 120);
  }
}

function bodyOf({ preview, input }: PreviewText, options: ShowOptions): readonly string[] {
  switch (preview.type) {
    case "diff":
      return showFile(preview.file, options);
    case "multi_diff":
      return preview.files.flatMap((file) => showFile(file, options));
    case "command":
      return showCommand(preview, options.paint);
    case "notebook":
      return [
        `${visible(preview.file.file_path)} · ${preview.edit_mode} ${visible(preview.cell_type)} cell${preview.cell_id === undefined ? "" : ` ${visible(preview.cell_id)}`}`,
        ...effectsOf(preview.file, options.paint),
        ...paintDiff(preview.diff, options.paint, options.mostLines),
      ];
    case "question":
      return preview.questions.flatMap((question) => showQuestion(question, options.paint));
    case "budget":
      return [
        visible(preview.summary),
        `Yes sets the limit to ${dollars(preview.proposed_limit_microusd)}; E changes limit_microusd first.`,
      ];
    case "network":
      return [
        visibleCommand(preview.summary),
        "Yes holds for this turn; a asks whether it shall hold for the session.",
      ];
    case "changes":
      return showChanges(preview, options);
    case "generic":
      return [
        ...pageLines(preview.page),
        ...firstLines(input === undefined ? preview.summary : JSON.stringify(input, undefined, 2), options),
      ];
  }
}

/** The picture is for screens that can show one. */
function pageLines(page: PagePreview | undefined): readonly string[] {
  if (page === undefined) return [];
  if (page.url === undefined) return ["No page is open in the browser."];
  const title = page.title === undefined || page.title === "" ? "" : `${visible(page.title)} `;
  const element = page.element === undefined ? [] : [visibleCommand(page.element).replaceAll(/\s+/g, " ")];
  return [`${title}${visibleCommand(page.url)}`, ...element];
}

function firstLines(text: string, { paint, mostLines }: ShowOptions): readonly string[] {
  const lines = visible(text).split("\n");
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), moreLines(lines.length - mostLines, paint)];
}

function showChanges(preview: ReviewPreview, options: ShowOptions): readonly string[] {
  const { conflicts, cut } = preview;
  return [
    visible(preview.summary),
    ...(conflicts === 0 ? [] : [options.paint.yellow(`⚠ ${conflicts} in conflict: nothing can be applied as a whole`)]),
    ...preview.files.map(({ path, status, additions, deletions }) =>
      visible(`  ${status} ${path} +${additions} −${deletions}`),
    ),
    ...paintDiff(reviewDiff(preview), options.paint, options.mostLines),
    ...(cut === undefined ? [] : [options.paint.yellow("⚠ More changed: sallyport changes diff shows all of it.")]),
    "Yes applies them, no keeps them for later. To commit or discard them: sallyport changes.",
  ];
}

function showFile(file: FileDiff, options: ShowOptions): readonly string[] {
  return [
    `${options.paint.bold(visibleCommand(file.file_path))} ${badge(file, options.paint)}`,
    ...effectsOf(file, options.paint),
    ...paintDiff(file.diff, options.paint, options.mostLines),
  ];
}

function effectsOf(file: FileDiff, paint: Paint): readonly string[] {
  const effects = file.effects.map((effect) => paint.yellow(`• ${visible(effect)}`));
  return file.error === undefined
    ? effects
    : [...effects, paint.red(`✗ this cannot be done as asked: ${visible(file.error)}`)];
}

function showCommand(preview: CommandPreview, paint: Paint): readonly string[] {
  const [first = "", ...rest] = visibleCommand(preview.command).split("\n");
  const about = [
    `in ${visibleCommand(preview.cwd)}`,
    preview.background ? "in the background" : `at most ${duration(preview.timeout_ms)}`,
  ];
  return [
    paint.bold(`$ ${first}`),
    ...rest.map((line) => paint.bold(`  ${line}`)),
    ...(preview.description === undefined ? [] : [paint.dim(`# ${oneLine(preview.description, 200)}`)]),
    paint.dim(about.join(", ")),
    ...(preview.parse_error === undefined ? [] : [paint.red(`✗ not understood: ${visible(preview.parse_error)}`)]),
    ...preview.parts.flatMap((part, index) => showPart(part, index + 1, paint)),
  ];
}

function showPart(part: CommandPart, place: number, paint: Paint): readonly string[] {
  const program =
    part.program === "" ? paint.yellow("known only when it runs") : paint.cyan(visibleCommand(part.program));
  const found = part.resolved === undefined ? "" : paint.dim(` ${visibleCommand(part.resolved)}`);
  const through =
    part.wrappers.length === 0 ? "" : paint.yellow(` through ${visibleCommand(part.wrappers.join(" → "))}`);
  const lines = [
    `  ${place}. ${program}${found}${through}  ${paint.dim(clip(visibleCommand(part.text).replaceAll("\n", " "), 160))}`,
  ];
  const detail = (name: string, values: readonly string[]): void => {
    if (values.length > 0) lines.push(`     ${paint.dim(name)} ${values.join("  ")}`);
  };
  detail("sets", part.assignments.map(visibleCommand));
  detail(
    "paths",
    part.paths.map(({ word, path, inside }) => {
      const text = visibleCommand(word === path ? path : `${word} → ${path}`);
      return inside ? text : paint.red(`${text} (outside the workspace)`);
    }),
  );
  detail(
    "redirects",
    part.redirects.map(({ operator, target }) => visibleCommand(`${operator} ${target}`)),
  );
  detail(
    "hosts",
    part.hosts.map((host) => paint.yellow(visibleCommand(host))),
  );
  return lines;
}

/** A question with its numbered answers. */
export function showQuestion(question: Question, paint: Paint): readonly string[] {
  return [
    `${paint.inverse(` ${visible(question.header)} `)} ${paint.bold(visible(question.question))}`,
    ...question.options.flatMap((option, index) => [
      `  ${paint.cyan(String(index + 1))} ${visible(option.label)}${option.description === "" ? "" : paint.dim(` · ${visible(option.description)}`)}`,
      ...(option.preview === undefined
        ? []
        : visible(option.preview)
            .split("\n")
            .map((line) => paint.dim(`      ${line}`))),
    ]),
  ];
}
