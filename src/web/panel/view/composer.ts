import type { Attachment } from "../../../protocol/index.ts";
import { ACCEPTED, attach } from "../attachments.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { recognizer, Voice } from "../voice.ts";
import { icon, iconButton, make, picture, replaceIcon, setAttribute, setText } from "./dom.ts";
import { t } from "../language.ts";

export interface ComposerActions {
  readonly send: (text: string, attachments: readonly Attachment[]) => void;
  readonly stop: () => void;
  readonly tryAgain: () => void;
}

const THUMB_PX = 40;
const MOST_PX = 160;

/** Where the person writes. */
export class Composer {
  readonly element: HTMLFormElement;
  readonly input: HTMLTextAreaElement;
  readonly #actions: ComposerActions;
  readonly #chips = make("div", { class: "chips" });
  readonly #words = make("p", { class: "composer-note", attributes: { role: "alert" } });
  readonly #run: HTMLButtonElement;
  readonly #queue: HTMLButtonElement;
  readonly #again: HTMLButtonElement;
  readonly #file = make("input", {
    attributes: { type: "file", multiple: true, accept: ACCEPTED, tabindex: "-1", "aria-label": t("Files") },
  });
  readonly #voice: Voice | undefined;
  #attached: readonly Attachment[] = [];
  #isWorking = false;
  #isOver = false;

  constructor(actions: ComposerActions) {
    this.#actions = actions;
    this.input = make("textarea", {
      attributes: { rows: "1", maxlength: String(PANEL_LIMITS.promptChars), enterkeyhint: "send" },
      on: { input: () => this.#grown(), keydown: (event) => this.#key(event), paste: (event) => this.#pasted(event) },
    });
    this.#run = iconButton("send", t("Run AI Prompt"), () => this.#pressed(), "run");
    this.#queue = iconButton("send", t("Send after this answer"), () => this.#send(), "queue");
    this.#again = iconButton("retry", t("Try again"), () => this.#actions.tryAgain());
    const clip = iconButton("clip", t("Attach files"), () => this.#file.click());
    const Recognition = recognizer();
    const mic = iconButton("mic", t("Speak"), () => this.#voice?.toggle());
    if (Recognition !== undefined) this.#voice = new Voice(Recognition, voiceOf(this, mic));
    this.#file.hidden = true;
    this.#file.addEventListener("change", () => void this.#take([...(this.#file.files ?? [])]));
    this.#words.hidden = true;
    this.element = make(
      "form",
      { class: "composer", on: { submit: (event) => event.preventDefault() } },
      this.#words,
      make(
        "div",
        { class: "box" },
        this.#chips,
        this.input,
        make(
          "div",
          { class: "tools" },
          clip,
          this.#voice === undefined ? undefined : mic,
          this.#file,
          make("span", { class: "gap" }),
          this.#again,
          this.#queue,
          this.#run,
        ),
      ),
    );
    this.#accept();
    this.update({ isWorking: false, canRetry: false, isOver: false });
  }

  update(state: { readonly isWorking: boolean; readonly canRetry: boolean; readonly isOver: boolean }): void {
    this.#isWorking = state.isWorking;
    this.#isOver = state.isOver;
    replaceIcon(this.#run, state.isWorking ? "stop" : "send");
    const label = state.isWorking ? t("Stop AI Generation") : t("Run AI Prompt");
    setAttribute(this.#run, "aria-label", label);
    setAttribute(this.#run, "title", label);
    this.#run.classList.toggle("stop", state.isWorking);
    this.#again.hidden = !state.canRetry;
    this.input.disabled = state.isOver;
    this.#enable();
  }

  /** Announced beside the text field. Undefined: nothing. */
  say(words: string | undefined): void {
    this.#words.hidden = words === undefined;
    setText(this.#words, words ?? "");
  }

  add(text: string): void {
    const before = this.input.value;
    this.input.value = before === "" || /\s$/.test(before) ? before + text : `${before} ${text}`;
    this.#grown();
    this.input.focus();
  }

  clear(): void {
    this.input.value = "";
    this.#attached = [];
    this.#list();
    this.say(undefined);
    this.#grown();
  }

  leave(): void {
    this.#voice?.stop();
  }

  #enable(): void {
    const isEmpty = this.input.value.trim() === "";
    this.#run.disabled = !this.#isWorking && (isEmpty || this.#isOver);
    this.#queue.hidden = !this.#isWorking || isEmpty;
  }

  #grown(): void {
    this.input.style.height = "auto";
    this.input.style.height = `${String(Math.min(this.input.scrollHeight, MOST_PX))}px`;
    this.#enable();
  }

  #key(event: KeyboardEvent): void {
    // While characters are being composed, Enter belongs to that.
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
      return;
    event.preventDefault();
    this.#send();
  }

  #pressed(): void {
    if (this.#isWorking) this.#actions.stop();
    else this.#send();
  }

  #send(): void {
    const text = this.input.value.trim();
    if (text === "" || this.#isOver) return;
    const attached = this.#attached;
    this.clear();
    this.#actions.send(text, attached);
  }

  #pasted(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.#take(files);
  }

  /** Files that are dropped on it. */
  #accept(): void {
    this.element.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      this.element.classList.add("dropping");
    });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("dropping"));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.element.classList.remove("dropping");
      void this.#take([...(event.dataTransfer?.files ?? [])]);
    });
  }

  async #take(files: readonly File[]): Promise<void> {
    const { attached, refused } = await attach(this.#attached, files);
    this.#file.value = "";
    this.#attached = attached;
    this.say(refused.length === 0 ? undefined : refused.join(" "));
    this.#list();
    this.input.focus();
  }

  #list(): void {
    this.#chips.replaceChildren(
      ...this.#attached.map((one) => {
        const name = one.name ?? "file";
        const remove = iconButton("close", t("Remove {name}", { name }), () => {
          this.#attached = this.#attached.filter((other) => other !== one);
          this.#list();
          this.input.focus();
        });
        const sign = one.type === "image" ? picture(one, name, THUMB_PX) : icon("file");
        return make("span", { class: "chip" }, sign, make("span", { class: "chip-name", text: name }), remove);
      }),
    );
    this.#chips.hidden = this.#attached.length === 0;
  }
}

function voiceOf(composer: Composer, mic: HTMLButtonElement): ConstructorParameters<typeof Voice>[1] {
  return {
    heard: (text) => composer.add(text),
    trouble: (words) => composer.say(words),
    listening: (listens) => {
      mic.classList.toggle("listening", listens);
      setAttribute(mic, "aria-pressed", String(listens));
      if (listens) composer.say(t("Listening…"));
      else if (composer.element.querySelector(".composer-note")?.textContent === t("Listening…"))
        composer.say(undefined);
    },
  };
}
