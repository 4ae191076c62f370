import type { Approval, FileDiff, PagePreview } from "../../../protocol/index.ts";
import { visible, visibleCommand } from "../../ui/visible.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { hunksOf } from "../words.ts";
import { icon, make, picture } from "./dom.ts";
import { LongText, type LongTextOptions } from "./long-text.ts";
import { t } from "../language.ts";

/** The longer side of the picture of a page. */
const PICTURE_PX = 480;

/** The complete subject of a question: whoever approves has been shown everything. */
export class AskPreview {
  readonly nodes: readonly Node[];
  readonly #texts: LongText[] = [];
  readonly #whole: () => void;

  /** `whole`: called when the last cut text is shown completely. */
  constructor(approval: Approval, whole: () => void) {
    this.#whole = whole;
    this.nodes = this.#nodesOf(approval);
  }

  /** Nothing of it is left out. */
  get isWhole(): boolean {
    return this.#texts.every((text) => text.isWhole);
  }

  #nodesOf({ preview, tool, input }: Approval): readonly Node[] {
    switch (preview.type) {
      case "question":
        return [];
      case "budget":
      case "network":
        return [make("p", { text: visible(preview.summary) })];
      case "changes":
        return [
          make("p", { text: visible(preview.summary) }),
          ...preview.files.flatMap(({ path, additions, deletions, diff }) => [
            make(
              "p",
              { class: "file" },
              icon("file"),
              make("span", { text: visibleCommand(path) }),
              size(additions, deletions),
            ),
            ...(diff === undefined ? [] : [this.#long(t("Change"), hunksOf(diff), "diff")]),
          ]),
          ...(preview.cut === undefined
            ? []
            : [make("p", { class: "faint", text: t("More changed than is shown here.") })]),
        ];
      case "command":
        return [
          ...(preview.description === undefined ? [] : [make("p", { text: visible(preview.description) })]),
          this.#long(t("Command"), preview.command, "command"),
          make("p", { class: "faint" }, t("in"), " ", make("code", { text: visibleCommand(preview.cwd) })),
        ];
      case "diff":
      case "notebook":
        return this.#filesOf([preview.file], input);
      case "multi_diff":
        return this.#filesOf(preview.files, input);
      case "generic":
        return [
          make("p", { class: "faint", text: visible(tool) }),
          ...pageOf(preview.page),
          this.#long(t("Input"), JSON.stringify(input, null, 2)),
        ];
    }
  }

  /** A diff that the server cut is incomplete: then the tool's input is shown too. */
  #filesOf(files: readonly FileDiff[], input: Approval["input"]): readonly Node[] {
    const isCut = files.some(({ diff }) => diff.length >= PANEL_LIMITS.diffChars);
    return [
      ...files.flatMap((file) => this.#fileOf(file)),
      ...(isCut ? [this.#long(t("Input"), JSON.stringify(input, null, 2))] : []),
    ];
  }

  #fileOf(file: FileDiff): readonly Node[] {
    const effects = [...file.effects, ...(file.error === undefined ? [] : [file.error])];
    return [
      make("p", { class: "file" }, icon("file"), make("span", { text: visibleCommand(file.file_path) }), tally(file)),
      ...(file.diff === "" ? [] : [this.#long(t("Change"), hunksOf(file.diff), "diff")]),
      ...effects.map((words) => make("p", { class: "faint", text: visible(words) })),
    ];
  }

  #long(label: string, text: string, kind: LongTextOptions["kind"] = "plain"): HTMLElement {
    const whole = (): void => {
      if (this.isWhole) this.#whole();
    };
    const long = new LongText({ label, text, kind, whole });
    this.#texts.push(long);
    return long.element;
  }
}

/** The page that a browser tool would act on, the element, and a picture of both. */
function pageOf(page: PagePreview | undefined): readonly Node[] {
  if (page === undefined) return [];
  const { url, title = "", element, picture: image } = page;
  if (url === undefined) return [make("p", { class: "faint", text: t("No page is open in the browser.") })];
  return [
    make("p", { text: `${visible(title)} ${visibleCommand(url)}`.trim() }),
    ...(element === undefined ? [] : [make("p", {}, make("code", { text: visibleCommand(element) }))]),
    ...(image === undefined ? [] : [picture(image, t("The page when the question was asked"), PICTURE_PX)]),
  ];
}

function tally({ added, removed, is_new_file }: FileDiff): HTMLElement {
  return size(added, removed, is_new_file ? `${t("new")}, ` : "");
}

function size(added: number, removed: number, before = ""): HTMLElement {
  return make("span", { class: "faint", text: `${before}+${String(added)} −${String(removed)}` });
}
