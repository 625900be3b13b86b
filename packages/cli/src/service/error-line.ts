/** Returns the line of a program's stderr with the error: the first that names an error or a code, else the last; empty if there is no output. */
export const errorLine = (output: string): string => {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const errorText = lines.find((line) => /^(?:\w*Error\b|[A-Z][A-Z0-9]*_[A-Z_]+:)/.test(line));
  return (errorText ?? lines.at(-1) ?? "").slice(0, 500);
};
