/** Returns the line of a program's stderr with the error: the first that names an error or a code, else the last; empty without output. */
export const errorLine = (output: string): string => {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const named = lines.find((line) => /^(?:\w*Error\b|[A-Z][A-Z0-9]*_[A-Z_]+:)/.test(line));
  return (named ?? lines.at(-1) ?? "").slice(0, 500);
};
