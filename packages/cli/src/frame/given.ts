/** The parsed command line of a command. */
export class CommandInput {
  private readonly arguments: ReadonlyMap<string, string>;
  private readonly options: ReadonlyMap<string, readonly (string | number | true)[]>;

  constructor(
    args: ReadonlyMap<string, string>,
    options: ReadonlyMap<string, readonly (string | number | true)[]>,
  ) {
    this.arguments = args;
    this.options = options;
  }

  /** Returns a positional argument; `undefined` if it was left out. */
  argument(name: string): string | undefined {
    return this.arguments.get(name);
  }

  /** Whether a flag was given. */
  flag(name: string): boolean {
    return this.options.has(name);
  }

  /** Returns an option's value; the last one if the option is repeated. */
  text(name: string): string | undefined {
    const value = this.options.get(name)?.at(-1);
    return typeof value === "string" ? value : undefined;
  }

  /** Returns every value of a repeatable option, in order. */
  texts(name: string): readonly string[] {
    return (this.options.get(name) ?? []).filter((value) => typeof value === "string");
  }

  /** Returns an option's number; the last one if the option is repeated. */
  number(name: string): number | undefined {
    const value = this.options.get(name)?.at(-1);
    return typeof value === "number" ? value : undefined;
  }
}
