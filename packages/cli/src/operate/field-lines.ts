import { table } from "../frame/table.ts";
import { type Line, styled } from "../frame/text.ts";

/** Returns the fields of a record, one per line; values other than strings as JSON. Texts with line breaks come last, each below its name. */
export const fieldLines = (record: object): readonly Line[] => {
  const fields = Object.entries(record).map(([name, value]): readonly [string, string] => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
  const short = fields.filter(([, text]) => !text.includes("\n"));
  const long = fields.filter(([, text]) => text.includes("\n"));
  return [
    ...table(
      [],
      short.map(([name, text]) => [styled("dim", name), text]),
    ),
    ...long.flatMap(([name, text]): readonly Line[] => ["", styled("dim", name), ...text.split("\n")]),
  ];
};
