import { t } from "../../ui/language/t.ts";

/** The labels of tools' fields in this language, by the server's English ones (`TOOL_FACTS`). */
const LABELS: Readonly<Record<string, string>> = {
  Address: t("Address"),
  Command: t("Command"),
  Content: t("Content"),
  Description: t("Description"),
  "Element (CSS selector)": t("Element (CSS selector)"),
  File: t("File"),
  Folder: t("Folder"),
  Name: t("Name"),
  "New source": t("New source"),
  "New text": t("New text"),
  Pattern: t("Pattern"),
  Prompt: t("Prompt"),
  Query: t("Query"),
  Question: t("Question"),
  "Regular expression": t("Regular expression"),
  Skill: t("Skill"),
  Text: t("Text"),
  "Text to replace": t("Text to replace"),
  Value: t("Value"),
};

/** A tool of somebody else has labels that are not here: they stay as they are. */
export const fieldLabel = (label: string): string => LABELS[label] ?? label;
