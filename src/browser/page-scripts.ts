/*
 * What runs in a page, in a world beside the page's own scripts. Each function is sent there as text, so it uses nothing from around it.
 * The types are those parts of the DOM that are used here: the server is compiled without the others. What a function is `given` is an
 * element of the page.
 */

interface PageElement {
  readonly tagName: string;
  readonly shadowRoot: PageRoot | null;
  readonly assignedSlot: PageElement | null;
  readonly parentElement: PageElement | null;
  readonly clientLeft: number;
  readonly clientTop: number;
  readonly outerHTML: string;
  /** Of a label: its field. */
  readonly control?: PageElement | null;
  getRootNode(): PageRoot;
  closest(selector: string): PageElement | null;
  contains(other: PageElement): boolean;
  cloneNode(deep: boolean): PageElement;
  getBoundingClientRect(): { readonly left: number; readonly top: number };
}

/** A document or a shadow root. */
interface PageRoot {
  /** Of a shadow root alone. */
  readonly host?: PageElement;
  readonly activeElement?: PageElement | null;
  elementFromPoint(x: number, y: number): PageElement | null;
}

interface PageClass {
  readonly prototype: object;
}

interface PageWorld {
  readonly document: PageRoot;
  readonly Node: PageClass;
  readonly Element: PageClass & { readonly prototype: Pick<PageElement, "closest"> };
  readonly HTMLFormElement: PageClass;
  getComputedStyle(this: void, element: PageElement): { readonly paddingLeft: string; readonly paddingTop: string };
}

export interface PagePoint {
  readonly x: number;
  readonly y: number;
}

/** What is hit at a place instead of the element. */
export interface OtherElement {
  readonly html: string;
  /** Another document gets what is pressed there. */
  readonly isFrame: boolean;
}

/** What the element is, where it leads, and what a form would send with it. */
export function readElement(
  given: unknown,
  most: { readonly chars: number; readonly fields: number },
): { readonly html: string; readonly facts: string } {
  const element = given as PageElement;
  const { Node, Element, HTMLFormElement } = globalThis as unknown as PageWorld;
  // A form's fields can take the names of its properties, so these are read as the browser defines them.
  const read = (type: PageClass, node: object, name: string): unknown =>
    Object.getOwnPropertyDescriptor(type.prototype, name)?.get?.call(node);
  const isForm = (node: unknown): node is PageElement =>
    typeof node === "object" && node !== null && HTMLFormElement.prototype.isPrototypeOf(node);
  const attributes = (node: PageElement | null): readonly string[] =>
    node === null
      ? []
      : [...(read(Element, node, "attributes") as Iterable<{ readonly name: string; readonly value: string }>)]
          // How it looks changes when somebody only points at it.
          .filter(({ name }) => name !== "class" && name !== "style")
          .map(({ name, value }) => `${name}=${value}`);
  const nearest = (selector: string): PageElement | null => Element.prototype.closest.call(element, selector);
  const owner: unknown = isForm(element) ? element : Reflect.get(element, "form");
  const form = isForm(owner) ? owner : nearest("form");
  const fields = form === null ? [] : [...(read(HTMLFormElement, form, "elements") as Iterable<object>)];
  const values = fields
    .slice(0, most.fields)
    .map((field) => ["name", "type", "value", "checked", "disabled"].map((name) => String(Reflect.get(field, name))));
  const facts = JSON.stringify([
    read(Element, element, "tagName"),
    ...[element, nearest("a"), form].map(attributes),
    values,
    ["value", "checked"].map((name) => String(Reflect.get(element, name))),
    // The longest one last: what is too long is cut.
    read(Node, element, "textContent"),
  ]);
  const html = String(read(Element, element, "outerHTML"));
  return { html: html.slice(0, most.chars), facts: facts.slice(0, most.chars) };
}

/** Whether keys go to the element, as far as its own document knows. */
export function hasFocus(given: unknown): boolean {
  const element = given as PageElement;
  const { document } = globalThis as unknown as PageWorld;
  const root = element.getRootNode();
  const { activeElement } = root.host === undefined ? document : root;
  return activeElement !== undefined && activeElement !== null && element.contains(activeElement);
}

/** What is hit at a point instead of the element. `inside`: the same point as the document of this frame has it. */
export function hitAt(
  given: unknown,
  { x, y }: PagePoint,
  most: number,
): { readonly other?: OtherElement; readonly inside: PagePoint } {
  const element = given as PageElement;
  const { document, getComputedStyle } = globalThis as unknown as PageWorld;
  const parentOf = (node: PageElement): PageElement | null =>
    node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const isWithin = (node: PageElement, outer: PageElement): boolean => {
    for (let at: PageElement | null = node; at !== null; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const deepest = (hit: PageElement | null): PageElement | null => {
    const inner = hit?.shadowRoot?.elementFromPoint(x, y) ?? null;
    return inner === null || inner === hit ? hit : deepest(inner);
  };
  const hit = deepest(document.elementFromPoint(x, y));
  const { left, top } = element.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(element);
  const inside = {
    x: x - left - element.clientLeft - Number.parseFloat(paddingLeft),
    y: y - top - element.clientTop - Number.parseFloat(paddingTop),
  };
  // What is around it lets the pointer through to itself; a label stands for its field.
  const isSame =
    hit === null || isWithin(hit, element) || isWithin(element, hit) || hit.closest("label")?.control === element;
  if (hit === null || isSame) return { inside };
  const { outerHTML } = hit.cloneNode(false);
  return {
    other: { html: outerHTML.slice(0, most), isFrame: /^(?:i?frame|object|embed)$/i.test(hit.tagName) },
    inside,
  };
}
