import { z } from "zod";
import { Failure, LIMITS, Template, type PrincipalRef, type SaveTemplate } from "../../protocol/index.ts";
import { auditRow, authorize, authorizeStarting, type Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

const DOCUMENT = "templates";
const Templates = z.array(Template);

/** Named templates for new sessions. All of them are one document: its versions are their history. */
export class TemplateService {
  readonly #dependencies: Dependencies;
  #templates: Promise<readonly Template[]> | undefined;
  /** Resolves when the last change has ended, so that each change starts from the one before. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller): Promise<readonly Template[]> {
    authorize(caller, "workspace.choose");
    return this.#all();
  }

  /** For what starts sessions by itself. Undefined: there is none. */
  async find(id: string): Promise<Template | undefined> {
    return (await this.#all()).find((known) => known.id === id);
  }

  /** Creates it, or replaces the one with this id. */
  async save(caller: Caller, id: string, request: SaveTemplate): Promise<Template> {
    authorize(caller, "template.write");
    const text = this.#dependencies.redact(JSON.stringify(request));
    if (text.length > LIMITS.templateChars) {
      throw new Failure(
        "payload_too_large",
        `a template may have ${LIMITS.templateChars} characters; leave attachments to the prompt of the session`,
      );
    }
    const { name, session } = JSON.parse(text) as SaveTemplate;
    const at = new Date(this.#dependencies.clock.now()).toISOString();
    const template: Template = { id, name, session, updated_at: at, updated_by: refOf(caller) };
    await this.#change(caller, { action: "template.set", id, details: { name } }, (templates) => {
      checkOwner(caller, templates, id);
      const others = templates.filter((known) => known.id !== id);
      if (others.length >= LIMITS.templates)
        throw new Failure("limit_reached", `there can be ${LIMITS.templates} templates; delete one first`);
      return [...others, template];
    });
    return template;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "template.write");
    await this.#change(caller, { action: "template.delete", id }, (templates) => {
      checkOwner(caller, templates, id);
      const others = templates.filter((known) => known.id !== id);
      if (others.length === templates.length) throw new Failure("not_found", `there is no template ${id}`);
      return others;
    });
  }

  async #change(
    caller: Caller,
    audited: { readonly action: string; readonly id: string; readonly details?: unknown },
    change: (templates: readonly Template[]) => readonly Template[],
  ): Promise<void> {
    const changed = this.#changing.then(async () => {
      const templates = change(await this.#all()).toSorted(byName);
      const { action, id, details } = audited;
      const at = new Date(this.#dependencies.clock.now()).toISOString();
      await this.#dependencies.store.commit({
        documents: [
          { name: DOCUMENT, at, by: refOf(caller), body: JSON.stringify(templates), keep: LIMITS.documentVersions },
        ],
        audit: [auditRow(this.#dependencies, caller, { action, target: id, details })],
      });
      this.#templates = Promise.resolve(templates);
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #all(): Promise<readonly Template[]> {
    this.#templates ??= this.#read();
    this.#templates.catch(() => {
      this.#templates = undefined;
    });
    return this.#templates;
  }

  async #read(): Promise<readonly Template[]> {
    const [newest] = await this.#dependencies.store.read.documents({ name: DOCUMENT, limit: 1 });
    return newest === undefined ? [] : Templates.parse(JSON.parse(newest.body));
  }
}

/** Whoever starts from a template does so with rights of their own: a token with limits changes no one else's. */
function checkOwner(caller: Caller, templates: readonly Template[], id: string): void {
  const known = templates.find((template) => template.id === id);
  if (known === undefined) return;
  authorizeStarting(caller, "template.write", { created_by: known.updated_by, what: `template ${id}` });
}

function refOf({ id, name, role }: Caller): PrincipalRef {
  return { id, name, role };
}

function byName(one: Template, other: Template): number {
  return one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1);
}
