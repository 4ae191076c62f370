import { useId, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { Input } from "../field.tsx";
import { Mark } from "../mark.tsx";
import { Note } from "../states.tsx";
import { rich, t } from "../language/t.ts";

const REFUSED = {
  revoked: t("You were signed out: this token was revoked."),
  wrong: t("That token is not valid."),
} as const;

/** Without the link that the server printed, a person needs a token. */
export function SignIn({
  onToken,
  why,
}: {
  readonly onToken: (token: string) => void;
  /** Why the last token was refused. Absent: there was none. */
  readonly why?: keyof typeof REFUSED;
}): ReactNode {
  const [text, setText] = useState("");
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = /[?#&]token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
    if (token !== "") onToken(token);
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form onSubmit={submit} className="w-full max-w-md space-y-4 rounded-xl border bg-raised p-6 shadow-sm">
        <h1 className="flex items-center gap-2.5 text-xl font-semibold">
          <Mark className="size-6 text-accent" /> {t("Sign in to Sallyport")}
        </h1>
        {why !== undefined && (
          <Note tone={why === "wrong" ? "bad" : "warn"} role="alert">
            {REFUSED[why]}
          </Note>
        )}
        <p className="text-soft">
          {rich("Open the link that {code} printed, or paste it, or a token, here.", { code: <code>npm start</code> })}
        </p>
        <label htmlFor={id} className="block text-sm font-medium">
          {t("Link or token")}
        </label>
        <Input
          id={id}
          type="password"
          spellCheck={false}
          autoComplete="current-password"
          value={text}
          onChange={(event) => setText(event.target.value)}
          required
          autoFocus
        />
        <Button type="submit" variant="primary" className="w-full">
          {t("Sign in")}
        </Button>
        <p className="text-sm text-faint">
          {rich("On the server’s machine the first token is in the file {code} of its home folder.", {
            code: <code>token</code>,
          })}
        </p>
      </form>
    </main>
  );
}
