import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Trouble } from "./states.tsx";

/** A form in a window: closes when its request went well, and says what is wrong otherwise. */
export function FormDialog({
  title,
  description,
  verb,
  trouble,
  isWhole,
  send,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  /** What the button says that sends it. */
  readonly verb: string;
  /** The heading of what is wrong. */
  readonly trouble: string;
  /** Whether it can be sent. */
  readonly isWhole: boolean;
  readonly send: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const sending = useMutation({ mutationFn: send, onSuccess: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWhole && !sending.isPending) sending.mutate();
  };
  return (
    <Dialog open onClose={onClose} title={title} {...(description === undefined ? {} : { description })}>
      <form onSubmit={submit} className="space-y-4">
        {children}
        {sending.error !== null && <Trouble title={trouble} error={sending.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={sending.isPending} disabled={!isWhole}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
