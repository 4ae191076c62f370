import type { Attachment } from "../../../protocol/index.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { t } from "../language.ts";
import { button, icon, make, picture } from "./dom.ts";

const THUMB_PX = 96;

/** What the person said. */
export function bubbleOf(text: string, attachments: readonly Attachment[]): HTMLElement {
  return make(
    "article",
    { class: "bubble", attributes: { "aria-label": t("You") } },
    ...promptOf(text),
    attachments.length === 0 ? undefined : make("div", { class: "chips" }, ...attachments.map(attachmentOf)),
  );
}

/** A long one is expanded on request. */
function promptOf(text: string): readonly HTMLElement[] {
  const element = make("div", { class: "bubble-text", text });
  if (text.length <= PANEL_LIMITS.bubbleChars) return [element];
  element.textContent = `${text.slice(0, PANEL_LIMITS.bubbleChars)}…`;
  const more = button(
    t("Show all"),
    () => {
      element.textContent = text;
      more.remove();
    },
    "quiet",
  );
  return [element, more];
}

function attachmentOf(attachment: Attachment): HTMLElement {
  const name = attachment.name ?? (attachment.type === "image" ? t("image") : t("text"));
  return attachment.type === "image"
    ? picture(attachment, name, THUMB_PX)
    : make("span", { class: "chip" }, icon("file"), name);
}
