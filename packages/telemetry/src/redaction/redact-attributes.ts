import type { Attributes } from "@opentelemetry/api";
import { redactStatement } from "./redact-statement.ts";
import { MAX_ATTRIBUTE, redactText, redactUrl } from "./redact.ts";

type Values = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Returns attributes of an operation for export: redacted, each at most 1,024 characters. */
export const redactAttributes = (attributes: Values): Attributes => {
  const safe: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) safe[name] = safeValue(name, value);
  return safe;
};

const safeValue = (name: string, value: Values[string]): string | number | boolean | string[] => {
  if (typeof value === "string") return safeText(name, value);
  return typeof value === "object" ? value.slice(0, 128).map((text) => safeText(name, text)) : value;
};

const safeText = (name: string, text: string): string => {
  if (name === "db.query.text") return redactText(redactStatement(text));
  if (name.startsWith("url.")) return redactUrl(text);
  return text.length < 4 ? text : redactText(text).slice(0, MAX_ATTRIBUTE);
};
