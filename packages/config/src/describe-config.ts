import { parseEnv } from "node:util";
import { type ConfigShape, settingsOf } from "./config-shape.ts";

/** Description of one variable of a configuration, for documentation. */
export interface SettingDescription {
  /** Name of the variable. */
  readonly name: string;
  /** Purpose of the setting. */
  readonly meaning: string;
  /** The accepted values, as a noun phrase. */
  readonly expected: string;
  /** Whether it must be set. */
  readonly isRequired: boolean;
  /** Whether its value is hidden. */
  readonly isSecret: boolean;
  /** Text of the default; empty if there is none. */
  readonly default: string;
}

/** Returns all variables of a shape in declaration order. */
export const describeConfig = (shape: ConfigShape): SettingDescription[] =>
  settingsOf(shape).map(({ name, meaning, expected, isSecret, whenUnset }) => {
    const isRequired = whenUnset === null;
    return { name, meaning, expected, isRequired, isSecret, default: whenUnset?.text ?? "" };
  });

/** Returns a Markdown table of the variables of a shape. */
export const configTable = (shape: ConfigShape): string => {
  const rows = describeConfig(shape).map((each) => [
    `\`${each.name}\``,
    [each.meaning, each.expected].filter((part) => part !== "").join(": "),
    each.isRequired ? "required" : each.default === "" ? "none" : `\`${each.default}\``,
  ]);
  const table = [["Variable", "Meaning", "Default"], ["---", "---", "---"], ...rows];
  return table.map((cells) => `| ${cells.map(inCell).join(" | ")} |\n`).join("");
};

const inCell = (text: string): string => text.replaceAll(/[|\\]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");

/**
 * Returns a `.env.example` with the variables of a shape: required ones empty, to be filled in, the others commented out with their defaults.
 */
export const envExample = (shape: ConfigShape): string =>
  describeConfig(shape)
    .map(({ name, meaning, expected, isRequired, ...each }) => {
      const value = asValue(each.default);
      const comments = [
        meaning,
        isRequired ? `Required: ${expected}.` : `Optional: ${expected}.`,
        value === null ? "Its default cannot be written on one line of a .env file." : "",
      ]
        .filter((line) => line !== "")
        .map((line) => `# ${line.replaceAll(/\s+/g, " ")}\n`);
      return `${comments.join("")}${isRequired ? "" : "# "}${name}=${value ?? ""}\n`;
    })
    .join("\n");

/** Returns the text as a one-line value of a `.env` file, quoted if necessary; `null` if it cannot be written on one line. */
const asValue = (text: string): string | null => {
  const quoted = [`'${text}'`, `"${text}"`, `\`${text}\``, `"${text.replaceAll("\n", String.raw`\n`)}"`];
  const candidates = /[\s#"'`]/.test(text) ? quoted : [text];
  return candidates.find((each) => !/[\r\n]/.test(each) && parseEnv(`A=${each}`)["A"] === text) ?? null;
};
