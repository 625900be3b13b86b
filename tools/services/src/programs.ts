import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders where distributions keep servers that are not on PATH, newest version first. */
const extraFolders = (): string[] => {
  const postgres = "/usr/lib/postgresql";
  const versions = existsSync(postgres) ? readdirSync(postgres).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map((version) => join(postgres, version, "bin")),
    "/usr/lib/rabbitmq/bin",
    "/usr/sbin",
    "/sbin",
  ];
};

/** Returns the full path of an installed program, or `null`. */
export const findProgram = (name: string): string | null => {
  const folders = [...extraFolders(), ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
};

/** @throws Error that names the missing program */
export const needProgram = (name: string): string => {
  const found = findProgram(name);
  if (found === null) throw new Error(`the program ${name} is not installed`);
  return found;
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
