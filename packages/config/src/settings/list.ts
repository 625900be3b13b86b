import { messageOf } from "@framework/core/feature";
import { type Parsed, type Setting, setting, type SettingOptions, type SettingRules } from "./setting.ts";

/** Options of `list`. */
export interface ListOptions extends SettingOptions<readonly string[]> {
  /** Text between two items. @default "," */
  readonly separator?: string;
  /** The items in messages, in the plural. @default "items" */
  readonly items?: string;
  /** Whether an item is accepted; empty items never are. @default every item */
  readonly isItem?: (item: string) => boolean;
  /** Maximum number of items. @default 1000 */
  readonly maxItems?: number;
}

/** A frozen list of strings, each trimmed. */
export const list = (name: string, options: ListOptions = {}): Setting<readonly string[]> => {
  const { separator = ",", items = "items", isItem = () => true, maxItems = 1000 } = options;
  const expected = `${items}, separated by ${JSON.stringify(separator)}`;
  const rules: SettingRules<readonly string[]> = {
    ...options,
    ...(Array.isArray(options.default) && { default: Object.freeze([...options.default]) }),
    expected,
    textOf: (value) => (Array.isArray(value) ? value.join(separator) : String(value)),
    parse(text): Parsed<readonly string[]> {
      const value = text === "" ? [] : text.split(separator).map((item) => item.trim());
      if (value.length > maxItems) return { problem: `must have at most ${maxItems} ${items}` };
      try {
        const isAccepted = value.every((item) => item !== "" && isItem(item));
        return isAccepted ? { value: Object.freeze(value) } : { problem: `must be ${expected}` };
      } catch (error) {
        return { problem: `must be ${expected}, but isItem threw: ${messageOf(error)}` };
      }
    },
  };
  const created = setting(name, rules, ["separator", "items", "isItem", "maxItems"]);
  if (created.whenUnset === null || created.defaultProblem !== null) return created;
  const { text, value } = created.whenUnset;
  const read = rules.parse(text);
  if (!("value" in read) || JSON.stringify(read.value) === JSON.stringify(value)) return created;
  const defaultProblem = `cannot be written as text: ${JSON.stringify(text)} has the ${items} ${JSON.stringify(read.value)}`;
  return { ...created, defaultProblem };
};
