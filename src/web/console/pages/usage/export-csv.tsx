import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { download } from "../../../ui/download.ts";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import type { DayRange } from "./range.ts";
import type { UsageGrouping } from "./series.ts";
import { t } from "../../../ui/language/t.ts";

/** The lines behind the charts, as a file. */
export function ExportCsv({ range, group }: { readonly range: DayRange; readonly group: UsageGrouping }): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () => client.usageCsv({ by: ["day", group], ...range }),
    onSuccess: ({ csv, truncated }) => {
      download(`sallyport-usage-${range.from}-${range.to}.csv`, csv, "text/csv");
      if (truncated) tell.bad(t("There are more lines than one file may have: the file was cut. Choose fewer days."));
    },
    onError: (error) => tell.bad(t("The file could not be made. {words}", { words: wordsOf(error) })),
  });
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      <Download aria-hidden className="size-4" /> {t("Export CSV")}
    </Button>
  );
}
