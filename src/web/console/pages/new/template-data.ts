import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SaveTemplate, Template } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { freshKey } from "../../app/fresh-key.ts";
import { exactMoney } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

export function useTemplates() {
  const { client } = useConnection();
  const enabled = useMay("session.create");
  return useQuery({ queryKey: KEYS.templates, queryFn: async () => (await client.templates()).templates, enabled });
}

interface SaveTemplateRequest {
  /** Absent: a new one. */
  readonly id?: string | undefined;
  readonly template: SaveTemplate;
}

export function useTemplateActions() {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: KEYS.templates });
  const save = useMutation({
    mutationFn: ({ id, template }: SaveTemplateRequest) => client.saveTemplate(id ?? `tpl-${freshKey()}`, template),
    onSuccess: async (template) => {
      await again();
      tell.ok(t("Template {name} saved", { name: template.name }));
    },
  });
  const remove = useMutation({
    mutationFn: ({ id }: Template) => client.deleteTemplate(id),
    onSuccess: async (_, { name }) => {
      await again();
      tell.ok(t("Template {name} deleted", { name }));
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return { save, remove };
}

/** What a template is, in a line. */
export function templateWords({ session }: Template): string {
  const { engine, model, profile, workspace, max_cost_microusd: limit } = session;
  const folder = workspace?.split("/").findLast((part) => part !== "");
  const parts = [engine, model, profile, folder, limit === undefined ? undefined : exactMoney(limit)];
  const words = parts.filter((part) => part !== undefined).join(" · ");
  return words === "" ? t("Default settings") : words;
}
