import { cpus } from "node:os";

/** Prints the title and the machine of a measurement. */
export const printTitle = (title: string): void => {
  const date = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model ?? "unknown processor";
  console.log(`${title}\nNode ${process.version}, ${cpus().length} cores (${model}), ${date}\n`);
};

export const printTable = (
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void => {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  console.log(line(heads));
  console.log(line(heads.map((_, index) => (index === 0 ? "---" : "--:"))));
  for (const row of rows) console.log(line(row));
  console.log("");
};

/** Prints whether a requirement holds; if not, the exit code of the process is 1. */
export const gate = (holds: boolean, text: string): void => {
  console.log(`${holds ? "holds" : "FAILS"}  ${text}`);
  if (!holds) process.exitCode = 1;
};
