import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";

interface FormButtonsProps {
  /** What the form does, in a word or two. */
  readonly words: string;
  readonly isReady: boolean;
  readonly onCancel: () => void;
}

/** The last line of a window with a form. */
export function FormButtons({ words, isReady, onCancel }: FormButtonsProps): ReactNode {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant="primary" disabled={!isReady}>
        {words}
      </Button>
    </div>
  );
}
