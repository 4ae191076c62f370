import { useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Note } from "../../ui/states.tsx";
import { useServer } from "./server.tsx";

/** Replaces the chat when the token has ended. What is open in the page stays open. */
export function SignInAgain({ close }: { readonly close: () => void }): ReactNode {
  const { onToken } = useServer();
  const [text, setText] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = /[?#&]token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
    if (token !== "") onToken(token);
  };
  return (
    <form onSubmit={submit} className="space-y-4 p-4">
      <h2 className="font-semibold">Sign in again</h2>
      <Note tone="bad" role="alert">
        This token no longer works: it was revoked or has expired. Your tables stay open.
      </Note>
      <TextField
        label="Link or token"
        hint="The link that npm start printed, or a token."
        type="password"
        spellCheck={false}
        autoComplete="current-password"
        value={text}
        onChange={setText}
        required
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary">
          Sign in
        </Button>
        <Button onClick={close}>Close</Button>
      </div>
    </form>
  );
}
