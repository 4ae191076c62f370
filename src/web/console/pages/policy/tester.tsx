import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { Policy, PolicyTest } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../../../ui/page.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { RulingView } from "./ruling-view.tsx";
import { CallForm } from "./call-form.tsx";
import { SubjectFields, type TestSubject } from "./subject-fields.tsx";
import { exampleOf, formOf, parseInput } from "./tool-forms.ts";
import { t } from "../../../ui/language/t.ts";

/** The call as the server wants it; a session brings its own profile, workspace and autonomy. */
function testOf(subject: TestSubject, tool: string, input: Record<string, unknown>): PolicyTest {
  const session = subject.session.trim();
  if (session !== "") return { tool, input, session };
  const { profile, autonomy, workspace } = subject;
  return {
    tool,
    input,
    profile,
    ...(autonomy === "" ? {} : { autonomy }),
    ...(workspace.trim() === "" ? {} : { workspace: workspace.trim() }),
  };
}

/** Runs the real pipeline on a call, without executing it. */
export function Tester({ policy, isDraft }: { readonly policy: Policy; readonly isDraft: boolean }): ReactNode {
  const { client } = useConnection();
  const [subject, setSubject] = useState<TestSubject>({
    profile: policy.default_profile,
    session: "",
    autonomy: "",
    workspace: "",
  });
  const [tool, setTool] = useState("Bash");
  const [values, setValues] = useState(exampleOf("Bash"));
  const [json, setJson] = useState<string>();
  const test = useMutation({ mutationFn: (request: PolicyTest) => client.testPolicy(request) });
  const parsed = json === undefined ? { input: { ...values } } : parseInput(json);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if ("input" in parsed && tool.trim() !== "") test.mutate(testOf(subject, tool.trim(), parsed.input));
  };
  /** The ruling on another call is not shown beside this one. */
  function anew<Value>(set: (value: Value) => void): (value: Value) => void {
    return (value) => {
      test.reset();
      set(value);
    };
  }
  const pickTool = (name: string): void => {
    setTool(name);
    setValues(exampleOf(name));
    setJson(formOf(name) === undefined ? (json ?? "{}") : undefined);
  };
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Section title={t("A tool call")}>
        <form onSubmit={submit} className="space-y-4">
          {isDraft && (
            <Note tone="info">{t("This tests the saved policy. Your unsaved changes do not count yet.")}</Note>
          )}
          <SubjectFields policy={policy} subject={subject} onChange={anew(setSubject)} />
          <CallForm
            tool={tool}
            values={values}
            json={json}
            wrong={"wrong" in parsed ? parsed.wrong : undefined}
            onTool={anew(pickTool)}
            onValues={anew(setValues)}
            onJson={anew(setJson)}
          />
          <Button
            type="submit"
            variant="primary"
            busy={test.isPending}
            disabled={"wrong" in parsed || tool.trim() === ""}
          >
            {t("Test")}
          </Button>
        </form>
      </Section>
      <Section title={t("The pipeline")}>
        <div aria-live="polite">
          {test.error !== null && <Trouble title={t("The test failed")} error={test.error} />}
          {test.error === null && <RulingView ruling={test.data} />}
        </div>
      </Section>
    </div>
  );
}
