import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Note, wordsOf } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

/** Takes a key once: it is tested, kept by the server, and never shown again. */
export function KeyForm({ id, name }: { readonly id: string; readonly name: string }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const keep = useMutation({
    mutationFn: () => client.setProviderKey(id, key.trim()),
    onSuccess: async () => {
      setKey("");
      await Promise.all([KEYS.providers, ["health"]].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (key.trim() !== "") keep.mutate();
  };
  return (
    <form onSubmit={submit} className="mb-5 max-w-xl space-y-3">
      <Field
        label={t("Key for {name}", { name })}
        hint={t(
          "Tested with one request that costs nothing, then kept in the server’s home folder (mode 600). It is not shown again.",
        )}
      >
        {(ids) => (
          <span className="flex items-center gap-2">
            <Input
              {...ids}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            <Button type="submit" variant="primary" busy={keep.isPending} disabled={key.trim() === ""}>
              {t("Test and save")}
            </Button>
          </span>
        )}
      </Field>
      {keep.isSuccess && (
        <Note tone="ok" role="status">
          {t("The key works and is saved. New sessions can use {name} now.", { name })}
        </Note>
      )}
      {keep.error !== null && (
        <Note tone="bad" role="alert">
          {t("Not saved: {words}", { words: wordsOf(keep.error) })}
        </Note>
      )}
    </form>
  );
}
