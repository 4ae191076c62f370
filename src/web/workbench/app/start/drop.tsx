import { FileUp } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useBench } from "../context.tsx";

/** A file can be dropped anywhere on the page. */
export function DropAnywhere(): ReactNode {
  const { opening } = useBench();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const onOver = (event: DragEvent): void => {
      // What another part has taken, such as the chat its attachments, is not ours.
      if (!isFile(event) || event.defaultPrevented) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      setOver(false);
      if (!isFile(event) || event.defaultPrevented) return;
      event.preventDefault();
      void opening.files([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", onOver);
    document.addEventListener("dragleave", onLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onOver);
      document.removeEventListener("dragleave", onLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, [opening]);
  if (!isOver) return undefined;
  return (
    <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-paper/85">
      <p className="flex items-center gap-3 text-lg font-semibold">
        <FileUp aria-hidden className="size-7 text-accent" /> Drop to open the table
      </p>
    </div>
  );
}
