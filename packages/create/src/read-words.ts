import { FrameworkError } from "@framework/core";
import { nearest } from "@framework/core/feature";
import { type Variant, variants } from "./variant.ts";

/** A parsed command line. */
export interface Words {
  /** Name of the service; `undefined` if none was given. */
  readonly name: string | undefined;
  readonly variant: Variant;
  readonly yes: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

const flags: Readonly<Record<string, "yes" | "json" | "help">> = {
  "--yes": "yes",
  "-y": "yes",
  "--json": "json",
  "--help": "help",
  "-h": "help",
};

/** Parses the words after the program's name. @throws CREATE_USAGE for the first mistake */
export const readWords = (words: readonly string[]): Words => {
  const parsedFlags = { yes: false, json: false, help: false };
  const names: string[] = [];
  let variant: Variant = "full";
  for (let at = 0; at < words.length; at++) {
    const [option = "", value] = (words[at] ?? "").split(/=(.*)/s);
    const flag = flags[option];
    if (!option.startsWith("-")) names.push(words[at] ?? "");
    else if (option === "--variant") variant = variantOf(value ?? words[++at]);
    else if (flag === undefined) throw unknownOption(option);
    else if (value !== undefined) throw usage(`${option} takes no value`);
    else parsedFlags[flag] = true;
  }
  if (names.length > 1)
    throw usage(`expected at most one name, not ${names.join(" ")}; a name has no spaces`);
  return { name: names[0], variant, ...parsedFlags };
};

const variantOf = (value: string | undefined): Variant => {
  const found = variants.find((each) => each === value);
  if (found !== undefined) return found;
  if (value === undefined) throw usage(`--variant needs a value: ${variants.join(" or ")}`);
  throw usage(
    `--variant must be ${variants.join(" or ")}, not ${JSON.stringify(value)}${hint(value, variants) ?? ""}`,
  );
};

const unknownOption = (option: string): FrameworkError => {
  const known = [...Object.keys(flags), "--variant"].filter((each) => each.startsWith("--"));
  return usage(`there is no option ${JSON.stringify(option)}${hint(option, known) ?? "; --help lists all"}`);
};

const hint = (word: string, known: readonly string[]): string | undefined => {
  const [near] = nearest(word, known, 1);
  return near === undefined ? undefined : `; did you mean ${near}?`;
};

const usage = (message: string): FrameworkError => new FrameworkError("CREATE_USAGE", message);
