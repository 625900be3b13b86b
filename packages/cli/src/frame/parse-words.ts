import { nearest } from "@framework/core/feature";
import { type Command, commonOptions, type OptionSpec } from "./command.ts";
import { CommandInput } from "./given.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Parses the words after a command's name: `--name value`, `--name=value`, `-n value`, flags and positional arguments in any order. After `--` every
 * word is an argument.
 *
 * @throws CLI_USAGE for the first mistake, with the nearest known name if there is one
 */
export const parseWords = (command: Command, words: readonly string[]): CommandInput => {
  const reader = new WordReader(command);
  let index = 0;
  while (index < words.length) index += reader.read(words[index] ?? "", words[index + 1]);
  return reader.given();
};

class WordReader {
  private readonly command: Command;
  private readonly arguments: Map<string, string> = new Map();
  private readonly options: Map<string, (string | number | true)[]> = new Map();
  private onlyArguments = false;

  constructor(command: Command) {
    this.command = command;
  }

  /** Reads one word, and the next one if it is the value. Returns the number of words read. */
  read(word: string, nextWord: string | undefined): number {
    if (this.onlyArguments || word === "-" || !word.startsWith("-")) return this.addArgument(word);
    if (word === "--") {
      this.onlyArguments = true;
      return 1;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    const inline = equals === -1 ? undefined : word.slice(equals + 1);
    const option = this.find(name);
    if (option.kind === "flag") {
      if (inline !== undefined) throw new UsageError(`${name} takes no value`);
      return this.add(option, true, 1);
    }
    const text = inline ?? nextWord;
    if (text === undefined) throw new UsageError(`${name} needs a value`);
    return this.add(option, valueOf(option, name, text), inline === undefined ? 2 : 1);
  }

  given(): CommandInput {
    if (!this.options.has("help")) {
      const missing = this.command.arguments.find(
        ({ name, required }) => required === true && !this.arguments.has(name),
      );
      const misplaced = missing === undefined ? undefined : this.misplaced();
      if (misplaced !== undefined) {
        const { name, summary } = misplaced.spec;
        const problem = `${JSON.stringify(misplaced.word)} was given instead`;
        throw new UsageError(`${this.command.name} needs <${name}>: ${summary}; ${problem}`);
      }
      if (missing !== undefined)
        throw new UsageError(`${this.command.name} needs <${missing.name}>: ${missing.summary}`);
    }
    return new CommandInput(this.arguments, this.options);
  }

  /** Returns the first argument whose word is not among its choices, and the word: the argument was probably left out. */
  private misplaced(): { readonly spec: Command["arguments"][number]; readonly word: string } | undefined {
    for (const spec of this.command.arguments) {
      const word = this.arguments.get(spec.name);
      if (word === undefined || spec.choices === undefined) continue;
      if (!spec.choices.includes(word.toUpperCase()) && !spec.choices.includes(word)) return { spec, word };
    }
    return undefined;
  }

  private add(option: OptionSpec, value: string | number | true, words: number): number {
    const values = this.options.get(option.name);
    if (values === undefined) this.options.set(option.name, [value]);
    else values.push(value);
    return words;
  }

  private addArgument(word: string): number {
    const spec = this.command.arguments[this.arguments.size];
    if (spec === undefined) {
      const takesApp = this.command.options.some(({ name }) => name === "app");
      const hint = takesApp && MODULE.test(word) ? `; name the module of the app with --app ${word}` : "";
      throw new UsageError(`${this.command.name} does not take the argument ${JSON.stringify(word)}${hint}`);
    }
    this.arguments.set(spec.name, word);
    return 1;
  }

  private find(word: string): OptionSpec {
    const known = [...this.command.options, ...commonOptions];
    const found = known.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (found !== undefined) return found;
    if (word === "--app" && this.command.arguments[0]?.name === "app")
      throw new UsageError(
        `${this.command.name} has no option "--app"; name the module without it: framework ${this.command.name} src/app.ts`,
      );
    const [near] = nearest(
      word,
      known.map(({ name }) => `--${name}`),
      1,
    );
    const hint =
      near === undefined ? `framework ${this.command.name} --help lists all` : `did you mean ${near}?`;
    throw new UsageError(`${this.command.name} has no option ${JSON.stringify(word)}; ${hint}`);
  }
}

const MODULE = /\.[cm]?[jt]s(?:#\w+)?$/;

const valueOf = (
  { kind, choices, min = 0, max = 1e9 }: OptionSpec,
  word: string,
  text: string,
): string | number => {
  if (kind === "number") {
    const number = /^\d{1,10}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new UsageError(`${word} must be a number from ${min} to ${max}, not ${JSON.stringify(text)}`);
  }
  if (choices === undefined || choices.includes(text)) return text;
  const [near] = nearest(text, choices, 1);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new UsageError(`${word} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}${hint}`);
};
