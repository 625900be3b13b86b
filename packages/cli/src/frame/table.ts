import { type Line, printable, type Span, styled, textOf } from "./text.ts";

/** Returns rows as lines with aligned columns, below a heading; the last column is not padded. */
export const table = (heading: readonly string[], rows: readonly (readonly Span[])[]): readonly Line[] => {
  const head = heading.map((title) => styled("dim", title));
  const all = heading.length === 0 ? rows : [head, ...rows];
  const columns = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(0, ...all.map((row) => widthOf(row[at] ?? ""))),
  );
  return all.map((row) =>
    row.flatMap((cell, at) =>
      at === row.length - 1 ? [cell] : [cell, " ".repeat((widths[at] ?? 0) - widthOf(cell) + 2)],
    ),
  );
};

const widthOf = (span: Span): number => Array.from(printable(textOf(span))).length;
