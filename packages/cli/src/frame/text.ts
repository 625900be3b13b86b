/** Style of a part of a line; used only if colours are enabled. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A part of a line: text, or text with a style. */
export type Span = string | { readonly text: string; readonly style: Style };

/** One line of output. */
export type Line = Span | readonly Span[];

/** Returns text with a style. */
export const styled = (style: Style, text: string): Span => ({ style, text });

/** Returns the text of a span. */
export const textOf = (span: Span): string => (typeof span === "string" ? span : span.text);

/**
 * Returns a line as a string. Text is escaped before styles are added, so that output of an app or a server cannot control the terminal.
 */
export const renderLine = (line: Line, colours: boolean): string => {
  const spans = Array.isArray(line) ? (line as readonly Span[]) : [line as Span];
  return spans
    .map((span) => {
      const text = printable(textOf(span));
      return typeof span === "string" || !colours || text === ""
        ? text
        : `${codes[span.style]}${text}\u001b[0m`;
    })
    .join("");
};

/** Returns text with control characters, line breaks, invisible and bidirectional format characters written as escapes, such as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Returns a value as JSON that cannot control a terminal either: the control and format characters that `JSON.stringify` leaves unescaped are written as escapes, such as `\u009b`. */
export const safeJson = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? "null").replaceAll(
    UNESCAPED_IN_JSON,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** DEL, C1 controls, invisible and bidirectional format characters; `JSON.stringify` itself escapes C0 controls and lone surrogates. */
const UNESCAPED_IN_JSON = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
/** Controls, line and paragraph separators, invisible and bidirectional format characters, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const codes: Readonly<Record<Style, string>> = {
  bold: "\u001b[1m",
  dim: "\u001b[2m",
  red: "\u001b[31m",
  green: "\u001b[32m",
  yellow: "\u001b[33m",
  cyan: "\u001b[36m",
};
