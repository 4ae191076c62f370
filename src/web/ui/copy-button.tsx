import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { t } from "./language/t.ts";

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = t("Copy") }: { readonly text: string; readonly label?: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <Button variant="quiet" size="small" aria-label={label} onClick={() => void copy().catch(() => undefined)}>
      {copied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
      <span aria-live="polite" className="sr-only">
        {copied ? t("Copied") : ""}
      </span>
    </Button>
  );
}
