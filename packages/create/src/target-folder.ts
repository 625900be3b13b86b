import { readdirSync } from "node:fs";
import { FrameworkError } from "@framework/core";

/**
 * Checks that a folder does not exist or is empty; a new Git repository counts as empty.
 *
 * @throws CREATE_NOT_EMPTY
 */
export const checkFolder = (folder: string): void => {
  const found = entriesOf(folder);
  if (found === null)
    throw new FrameworkError("CREATE_NOT_EMPTY", `${folder} is a file; choose another name`);
  const files = found.filter((name) => name !== ".git");
  if (files.length === 0) return;
  const shown = files.slice(0, SHOWN).join(", ") + (files.length > SHOWN ? ", …" : "");
  throw new FrameworkError(
    "CREATE_NOT_EMPTY",
    `${folder} is not empty (${shown}); nothing was written: choose another name, or empty the folder`,
  );
};

const SHOWN = 3;

/** Names in a folder, empty if it does not exist; `null` for a file. */
const entriesOf = (folder: string): readonly string[] | null => {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") return null;
    throw error;
  }
};
