import { Search as Glass } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { LIMITS } from "../../../protocol/index.ts";
import { Input } from "../../ui/field.tsx";

const TYPING_MS = 250;

/** A search that counts a moment after the last key. */
export function SearchBox({
  label,
  placeholder,
  text,
  onText,
  box,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly box: RefObject<HTMLInputElement | null>;
}): ReactNode {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(text);
  useEffect(() => {
    // Changed elsewhere: the back button, "Clear".
    if (text !== sent.current) setTyped(text);
    sent.current = text;
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (value: string): void => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = value.trim();
      onText(value.trim());
    }, TYPING_MS);
  };
  return (
    <div className="relative min-w-60 flex-1 max-md:basis-full">
      <Glass aria-hidden className="pointer-events-none absolute top-3 start-3 size-4 text-faint" />
      <Input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={LIMITS.searchChars}
        className="ps-9!"
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </div>
  );
}
