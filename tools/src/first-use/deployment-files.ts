/** The start command of a deployment file. */
export interface Start {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** The relevant contents of a systemd unit. */
export interface Unit extends Start {
  readonly workingDirectory: string;
  /** Commands in its first lines, in backticks or on separate lines. */
  readonly commands: readonly string[];
}

/** Reads a systemd unit. */
export const readUnit = (text: string): Unit => ({
  words: valuesOf(text, "ExecStart").join(" ").split(" "),
  variables: assignments(valuesOf(text, "Environment").join(" ")),
  workingDirectory: valuesOf(text, "WorkingDirectory")[0] ?? "",
  commands: Array.from(
    text.matchAll(/^#(?: {3}(.+)| .*`(.+)`.*)$/gm),
    ([, line, quoted]) => line ?? quoted ?? "",
  ),
});

/** The relevant contents of the last stage of a Dockerfile. */
export interface Image extends Start {
  /** Paths that it copies from the project. */
  readonly copied: readonly string[];
  /** The command that installs the dependencies. */
  readonly install: string;
  /** The program of its health check, with its arguments. */
  readonly healthCheck: readonly string[];
}

/** Reads a Dockerfile. */
export const readDockerfile = (text: string): Image => {
  const lines = text.replaceAll("\\\n", "").split("\n");
  const list = (pattern: RegExp): string[] =>
    lines.flatMap((line) => {
      const [, json] = pattern.exec(line) ?? [];
      return json === undefined ? [] : (JSON.parse(json) as string[]);
    });
  return {
    words: list(/^CMD (\[.*\])$/),
    variables: assignments(/^ENV (.*)$/m.exec(text)?.[1] ?? ""),
    copied: [
      ...new Set(lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? [])),
    ],
    install: list(/^RUN (\["npm".*\])$/).join(" "),
    healthCheck: list(/^HEALTHCHECK .*CMD (\[.*\])$/),
  };
};

const valuesOf = (unit: string, field: string): string[] =>
  Array.from(unit.matchAll(new RegExp(`^${field}=(.*)$`, "gm")), ([, value = ""]) => value);

const assignments = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(text.matchAll(/(\w+)=(\S*)/g), ([, name = "", value = ""]) => [name, value]));
