import type { UiElement } from "../../../contexts/hosts.ts";

/** How long an element is pointed at. */
const HINT_MS = 15_000;
const ID = "data-element-id";
const DESCRIPTION = "data-element-description";

/** The elements that carry an id for agents and are in the page now. */
export function listElements(root: ParentNode = document): readonly UiElement[] {
  return [...root.querySelectorAll<HTMLElement>(`[${ID}]`)]
    .map((element) => ({
      id: element.getAttribute(ID) ?? "",
      description: element.getAttribute(DESCRIPTION) ?? element.getAttribute("aria-label") ?? "",
      element,
    }))
    .filter(({ element }) => isShown(element))
    .map(({ id, description }) => ({ id, description }));
}

/** Points at an element until it is clicked, or for 15 s. */
export function highlight(
  elementId: string,
  description: string,
  root: ParentNode = document,
): "shown" | "missing" | "hidden" {
  const wanted = elementId.trim().toLowerCase();
  const found = [...root.querySelectorAll<HTMLElement>(`[${ID}]`)].filter(
    (element) => element.getAttribute(ID)?.toLowerCase() === wanted,
  );
  const element = found.find(isShown);
  if (element === undefined) return found.length === 0 ? "missing" : "hidden";
  point(element, description);
  return "shown";
}

function isShown(element: HTMLElement): boolean {
  return element.checkVisibility({ checkVisibilityCSS: true });
}

function point(element: HTMLElement, description: string): void {
  document.querySelector(".element-hint")?.remove();
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const hint = document.createElement("div");
  hint.className = "element-hint";
  hint.setAttribute("role", "status");
  const words = document.createElement("span");
  words.textContent = description;
  hint.append(words);
  const place = (): void => {
    const { left, top, width, height } = element.getBoundingClientRect();
    hint.style.left = `${left}px`;
    hint.style.top = `${top}px`;
    hint.style.width = `${width}px`;
    hint.style.height = `${height}px`;
  };
  const away = (): void => {
    clearTimeout(timer);
    hint.remove();
    globalThis.removeEventListener("pointerdown", away, true);
    globalThis.removeEventListener("resize", place);
    globalThis.removeEventListener("scroll", place, true);
  };
  const timer = setTimeout(away, HINT_MS);
  globalThis.addEventListener("pointerdown", away, true);
  globalThis.addEventListener("resize", place);
  globalThis.addEventListener("scroll", place, true);
  place();
  document.body.append(hint);
}
