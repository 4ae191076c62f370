import { useId, type ReactNode } from "react";
import { BUILT_IN_TOOL_NAMES } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { formOf } from "./tool-forms.ts";
import { t } from "../../../ui/language/t.ts";
import { fieldLabel } from "../../approval/field-labels.ts";

/** The tool and its input: simple fields where they are known, else JSON. */
export function CallForm({
  tool,
  values,
  json,
  wrong,
  onTool,
  onValues,
  onJson,
}: {
  readonly tool: string;
  readonly values: Readonly<Record<string, string>>;
  /** The input as JSON; absent: the fields are used. */
  readonly json: string | undefined;
  readonly wrong: string | undefined;
  readonly onTool: (name: string) => void;
  readonly onValues: (values: Readonly<Record<string, string>>) => void;
  readonly onJson: (text: string | undefined) => void;
}): ReactNode {
  const fields = formOf(tool);
  return (
    <>
      <ToolName tool={tool} onTool={onTool} />
      {json === undefined ? (
        <Fields tool={tool} values={values} onValues={onValues} />
      ) : (
        <Field label={t("Input")} hint={t("A JSON object.")} error={wrong}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={6}
              className="font-mono"
              spellCheck={false}
              value={json}
              onChange={(event) => onJson(event.target.value)}
            />
          )}
        </Field>
      )}
      {fields !== undefined && (
        <Button
          variant="quiet"
          size="small"
          className="-ms-2.5 flex!"
          onClick={() => onJson(json === undefined ? JSON.stringify(values, undefined, 2) : undefined)}
        >
          {json === undefined ? t("Edit as JSON") : t("Edit in fields")}
        </Button>
      )}
    </>
  );
}

function Fields({
  tool,
  values,
  onValues,
}: {
  readonly tool: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onValues: (values: Readonly<Record<string, string>>) => void;
}): ReactNode {
  return (formOf(tool) ?? []).map(({ name, label, example, long }) => (
    <Field key={`${tool}-${name}`} label={fieldLabel(label)}>
      {(ids) => {
        const shared = {
          ...ids,
          className: "font-mono",
          spellCheck: false,
          placeholder: example,
          value: values[name] ?? "",
        };
        return long === true ? (
          <TextArea {...shared} rows={2} onChange={(event) => onValues({ ...values, [name]: event.target.value })} />
        ) : (
          <Input {...shared} onChange={(event) => onValues({ ...values, [name]: event.target.value })} />
        );
      }}
    </Field>
  ));
}

function ToolName({ tool, onTool }: { readonly tool: string; readonly onTool: (name: string) => void }): ReactNode {
  const names = useId();
  return (
    <>
      <Field label={t("Tool")} hint={t("Choose one or type a name.")}>
        {(ids) => (
          <Input
            {...ids}
            list={names}
            value={tool}
            spellCheck={false}
            onChange={(event) => onTool(event.target.value)}
          />
        )}
      </Field>
      <datalist id={names}>
        {BUILT_IN_TOOL_NAMES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
